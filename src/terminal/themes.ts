import { Chalk, type ChalkInstance, foregroundColorNames } from 'chalk';
import { type AnswerPart, type OwnPaints, paint, plainStyle, type Style } from './style.ts';

/** The looks of a style that are colours; `dim` is a grey where greys are known. */
type ColorName = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'dim';

/** Parameters of SGR. */
export type Colors = { readonly [Name in ColorName]?: string };

interface ThemeColors {
  /** From the 240 colours that are the same in every terminal. */
  readonly many: Required<Colors>;
  /** From the 16 colours whose values differ between terminals. */
  readonly few: Colors;
}

const fixed = (index: number) => `38;5;${index}`;

/** Readable on dark backgrounds (WCAG contrast 4.5; 3 for red and magenta of the 16 colours). */
export const darkColors: ThemeColors = {
  many: {
    red: fixed(210),
    green: fixed(114),
    yellow: fixed(221),
    blue: fixed(117),
    magenta: fixed(183),
    cyan: fixed(80),
    dim: fixed(249),
  },
  few: { red: '91', green: '32', yellow: '93', blue: '36', magenta: '95', cyan: '36' },
};

/** Readable on light backgrounds. */
export const lightColors: ThemeColors = {
  many: {
    red: fixed(124),
    green: fixed(22),
    yellow: fixed(94),
    blue: fixed(25),
    magenta: fixed(90),
    cyan: fixed(23),
    dim: fixed(240),
  },
  few: { red: '31', green: '34', yellow: '35', blue: '34', magenta: '35', cyan: '34' },
};

export const themeNames = ['color', 'light', 'dark', 'mono', 'plain'] as const;

/**
 * `color` is `light` or `dark` where the terminal's background is known, else it uses the terminal's own 16 colours;
 * `mono` uses weight and underlines only, `plain` nothing.
 */
export type ThemeName = (typeof themeNames)[number];

/** What is known of the terminal's colours. */
export interface TerminalColors {
  readonly background: 'light' | 'dark' | undefined;
  /** It has 256 colours, of which 240 are the same in every terminal. */
  readonly hasMany: boolean;
  /** It has all colours of RGB. */
  readonly hasRgb?: boolean;
}

/** Restricts the terminal's style to a theme. A theme with colours has the user's own. */
export function themedStyle(
  theme: ThemeName,
  style: Style,
  terminal: TerminalColors,
  own?: OwnPaints,
): Style {
  if (!style.colored) return style;
  if (theme === 'plain') return plainStyle;
  if (theme === 'mono') return withoutColors(style);
  const shown = shadedStyle(theme, style, terminal);
  return own === undefined ? shown : { ...shown, own };
}

function shadedStyle(
  theme: 'color' | 'light' | 'dark',
  style: Style,
  terminal: TerminalColors,
): Style {
  const shade = theme === 'color' ? terminal.background : theme;
  if (shade === undefined) return style;
  const { many, few } = shade === 'light' ? lightColors : darkColors;
  return withColors(style, terminal.hasMany ? many : few);
}

function withoutColors(style: Style): Style {
  const { bold } = style;
  const unchanged = (text: string) => text;
  return {
    ...style,
    red: bold,
    green: unchanged,
    yellow: unchanged,
    blue: unchanged,
    magenta: bold,
    cyan: bold,
  };
}

function withColors(style: Style, colors: Colors): Style {
  const painted: { [Name in ColorName]?: Style[Name] } = {};
  for (const [name, code] of Object.entries(colors) as [ColorName, string][]) {
    painted[name] = paint(code, 39);
  }
  return { ...style, ...painted };
}

interface PartColor {
  /** One of the 16 colours (`red`, `bright-red`), `#rrggbb`, or `default`, that of the text. */
  readonly color: string;
  readonly attributes: readonly ('bold' | 'italic' | 'underline')[];
}

function withColor(chalk: ChalkInstance, color: string): ChalkInstance {
  if (color.startsWith('#')) return chalk.hex(color);
  const own = color.replace(/^bright-(.+)$/, '$1Bright');
  const name = foregroundColorNames.find((candidate) => candidate === own);
  return name === undefined ? chalk : chalk[name];
}

/** The user's own looks; `#rrggbb` becomes the nearest colour that the terminal has. */
export function createOwnPaints(
  colors: ReadonlyMap<AnswerPart, PartColor>,
  { hasMany, hasRgb }: TerminalColors,
): OwnPaints {
  const fewer = hasMany ? 2 : 1;
  const chalk = new Chalk({ level: hasRgb === true ? 3 : fewer });
  const paints: { [Part in AnswerPart]?: OwnPaints[Part] } = {};
  for (const [part, { color, attributes }] of colors) {
    const look = attributes.reduce((all, one) => all[one], withColor(chalk, color));
    paints[part] = (text) =>
      text
        .split('\n')
        .map((row) => look(row))
        .join('\n');
  }
  return paints;
}
