import type { Environment } from '../environment.ts';
import { Chalk, type ChalkInstance, type ColorName, type ModifierName } from 'chalk';

/** Puts its escape codes around the text of each line, so that every line closes its styles. */
export type Paint = (text: string) => string;

/**
 * Attributes, and six of the 16 ANSI colours, which are readable in every theme. There is a background only where that of
 * the terminal is known, and less important text is `dim`, because bright black is invisible in some themes.
 */
export interface Style {
  /** False if every look returns its text unchanged. */
  readonly colored: boolean;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly italic: Paint;
  readonly underline: Paint;
  readonly strike: Paint;
  readonly inverse: Paint;
  /** A background for a part that must be found in a long text; nothing where that of the terminal is not known. */
  readonly band: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly blue: Paint;
  readonly magenta: Paint;
  readonly cyan: Paint;
  /** Absent for the looks of the theme alone. */
  readonly own?: OwnPaints;
}

export type Look = Exclude<keyof Style, 'colored' | 'own'>;

/** The parts of an answer whose look the user can choose. */
export type AnswerPart =
  | 'heading'
  | 'code'
  | 'link'
  | 'quote'
  | 'rule'
  | 'keyword'
  | 'string'
  | 'comment';

/** The looks that the user chose replace the looks of the theme. */
export type OwnPaints = { readonly [Part in AnswerPart]?: Paint };

/**
 * Whether one stream gets colour. In this order: `--color=always|never`; `NO_COLOR` non-empty (no-color.org);
 * `FORCE_COLOR` or `CLICOLOR_FORCE` non-empty (`0` and `false` do not count); `TERM=dumb`; whether it is a terminal.
 */
export function hasColor({
  isTerminal,
  environment,
  option,
}: {
  readonly isTerminal: boolean;
  readonly environment: Environment;
  /** `--color`; `--no-color` is `never`. */
  readonly option?: 'always' | 'never' | 'auto' | undefined;
}): boolean {
  if (option === 'always') return true;
  if (option === 'never' || environment['NO_COLOR']) return false;
  if (forces(environment['FORCE_COLOR']) || forces(environment['CLICOLOR_FORCE'])) return true;
  return isTerminal && environment['TERM'] !== 'dumb';
}

function forces(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value);
}

const unchanged: Paint = (text) => text;

export const plainStyle: Style = {
  colored: false,
  bold: unchanged,
  dim: unchanged,
  italic: unchanged,
  underline: unchanged,
  strike: unchanged,
  inverse: unchanged,
  band: unchanged,
  red: unchanged,
  green: unchanged,
  yellow: unchanged,
  blue: unchanged,
  magenta: unchanged,
  cyan: unchanged,
};

/**
 * Given SGR parameters. Each line closes its style, and the style continues after one inside it that ends with the
 * same code.
 */
function paint(open: number | string, close: number): Paint {
  const start = `\u001B[${open}m`;
  const end = `\u001B[${close}m`;
  const line = (text: string) =>
    text === '' ? '' : start + text.replaceAll(end, end + start) + end;
  return (text) => (text.includes('\n') ? text.split('\n').map(line).join('\n') : line(text));
}

/** Attributes without colours, for `NO_COLOR`; the theme `mono` puts them in the places of colours. */
export const weightStyle: Style = {
  ...plainStyle,
  colored: true,
  bold: paint(1, 22),
  dim: paint(2, 22),
  italic: paint(3, 23),
  underline: paint(4, 24),
  strike: paint(9, 29),
  inverse: paint(7, 27),
};

export const colorStyle: Style = {
  ...weightStyle,
  red: paint(31, 39),
  green: paint(32, 39),
  yellow: paint(33, 39),
  blue: paint(34, 39),
  magenta: paint(35, 39),
  cyan: paint(36, 39),
};

/** The looks of a style that are colours; `dim` is a grey where greys are known. */
type ThemedColor = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'dim';

/** Parameters of SGR. */
export type Colors = { readonly [Name in ThemedColor]?: string };

interface ThemeColors {
  /** A code among the 240 colours that are the same in every terminal. */
  readonly many: Required<Colors>;
  /** A code among the 16 colours whose values differ between terminals. */
  readonly few: Colors;
  /** A background among the 240 colours. */
  readonly band: string;
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
  band: '48;5;236',
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
  band: '48;5;254',
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
  const { many, few, band } = shade === 'light' ? lightColors : darkColors;
  if (!terminal.hasMany) return withColors(style, few);
  return { ...withColors(style, many), band: paint(band, 49) };
}

function withoutColors(style: Style): Style {
  const { bold } = style;
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
  const painted: { [Name in ThemedColor]?: Style[Name] } = {};
  for (const [name, code] of Object.entries(colors) as [ThemedColor, string][]) {
    painted[name] = paint(code, 39);
  }
  return { ...style, ...painted };
}

/**
 * The user's own looks, such as `bright-red`, `#5fafd7 bold` or `default`, the colour of the text. `#rrggbb` becomes the
 * nearest colour that the terminal has.
 */
export function createOwnPaints(
  looks: Readonly<Record<string, string>>,
  { hasMany, hasRgb }: TerminalColors,
): OwnPaints {
  const fewer = hasMany ? 2 : 1;
  const chalk = new Chalk({ level: hasRgb === true ? 3 : fewer });
  const add = (style: ChalkInstance, word: string): ChalkInstance => {
    if (word === 'default') return style;
    if (word.startsWith('#')) return style.hex(word);
    return style[word.replace(/^bright-(.+)$/, '$1Bright') as ColorName | ModifierName];
  };
  const paintOf = (look: string): Paint => {
    const style = look.split(' ').reduce(add, chalk);
    return (text) =>
      text
        .split('\n')
        .map((row) => style(row))
        .join('\n');
  };
  return Object.fromEntries(Object.entries(looks).map(([part, look]) => [part, paintOf(look)]));
}
