import type { Environment } from '../environment.ts';
import { Chalk, type ChalkInstance, type ColorName, type ModifierName } from 'chalk';

/** Puts its escape codes around the text of each line, so that every line closes its styles. */
type Paint = (text: string) => string;

/** Less important text is `dim`: bright black is invisible in some themes. */
const attributes = ['bold', 'dim', 'italic', 'underline', 'strikethrough', 'inverse'] as const;

/** Six of the 16 ANSI colours, which are readable in every theme. */
const colors = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'] as const;
type Color = (typeof colors)[number];

/** The parts of an answer whose look the user can choose, with the looks of the themes; headings differ by level. */
const parts = {
  heading: 'bold',
  code: 'cyan',
  link: 'underline',
  quote: 'dim',
  rule: 'dim',
  keyword: 'magenta',
  string: 'green',
  comment: 'dim',
} as const;

/**
 * `band` is a background for a part that must be found in a long text; nothing where the background of the terminal is
 * not known.
 */
type PlainLook = (typeof attributes)[number] | Color | 'band';
export type Look = PlainLook | keyof typeof parts;

export interface Style extends Readonly<Record<Look, Paint>> {
  /** False if every look returns its text unchanged. */
  readonly colored: boolean;
  /** The user chose the look of headings, for all levels. */
  readonly hasOwnHeading?: boolean;
}

/** The looks that the user chose replace the looks of the theme. */
export type OwnPaints = { readonly [Part in keyof typeof parts]?: Paint };

/**
 * Whether one stream gets colour. In this order: `--color=always|never` (`--no-color` is `never`); `NO_COLOR` non-empty (no-color.org);
 * `FORCE_COLOR` or `CLICOLOR_FORCE` non-empty (`0` and `false` do not count); `TERM=dumb`; whether it is a terminal.
 */
export function hasColor(
  isTerminal: boolean,
  environment: Environment,
  option: 'always' | 'never' | 'auto' = 'auto',
): boolean {
  const forces = (name: string) => !['', '0', 'false'].includes(environment[name] ?? '');
  if (option === 'always') return true;
  if (option === 'never' || environment['NO_COLOR']) return false;
  if (forces('FORCE_COLOR') || forces('CLICOLOR_FORCE')) return true;
  return isTerminal && environment['TERM'] !== 'dumb';
}

const unchanged: Paint = (text) => text;

/** Whether there is colour, and how much, is decided here, not by chalk. */
const chalk = new Chalk({ level: 2 });

const paintsOf = (names: readonly (ColorName | ModifierName)[]) =>
  Object.fromEntries(names.map((name): [string, Paint] => [name, chalk[name]]));

/** A style with these looks and those of the parts of an answer; other looks change nothing. */
function styleOf(paints: Partial<Record<PlainLook, Paint>>, own: OwnPaints = {}): Style {
  const paintOf = (look: PlainLook) => paints[look] ?? unchanged;
  const plain = [...attributes, ...colors, 'band' as const].map((look) => [look, paintOf(look)]);
  const themed = Object.entries(parts).map(([part, look]) => [part, paintOf(look)]);
  const all = Object.fromEntries([...plain, ...themed]) as Record<Look, Paint>;
  return { colored: true, ...all, ...own, hasOwnHeading: own.heading !== undefined };
}

export const plainStyle: Style = { ...styleOf({}), colored: false };

/** Attributes without colours, for `NO_COLOR`. */
export const weightStyle: Style = styleOf(paintsOf(attributes));

export const colorStyle: Style = styleOf(paintsOf([...attributes, ...colors]));

/** The theme `mono` puts weight in the places of some colours. */
const { bold } = chalk;
const monoStyle: Style = styleOf({ ...paintsOf(attributes), red: bold, magenta: bold, cyan: bold });

interface ThemeColors {
  /** Among the 240 colours that are the same in every terminal; `dim` is a grey. */
  readonly many: Readonly<Record<Color | 'dim', number>>;
  /** Among the 16 colours, whose values differ between terminals; in the order of `colors`. */
  readonly few: readonly ColorName[];
  /** A background among the 240 colours. */
  readonly band: number;
}

/** Readable on dark backgrounds (WCAG contrast 4.5; 3 for red and magenta of the 16 colours). */
export const darkColors: ThemeColors = {
  many: { red: 210, green: 114, yellow: 221, blue: 117, magenta: 183, cyan: 80, dim: 249 },
  few: ['redBright', 'green', 'yellowBright', 'cyan', 'magentaBright', 'cyan'],
  band: 236,
};

/** Readable on light backgrounds. */
export const lightColors: ThemeColors = {
  many: { red: 124, green: 22, yellow: 94, blue: 25, magenta: 90, cyan: 23, dim: 240 },
  few: ['red', 'blue', 'magenta', 'blue', 'magenta', 'blue'],
  band: 254,
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
  if (theme === 'mono') return monoStyle;
  const shade = theme === 'color' ? terminal.background : theme;
  if (shade === undefined) return styleOf(style, own);
  const { many, few, band } = shade === 'light' ? lightColors : darkColors;
  const painted = terminal.hasMany
    ? Object.entries(many).map(([name, code]) => [name, chalk.ansi256(code)])
    : few.map((color, index) => [colors[index], chalk[color]]);
  const bands = terminal.hasMany ? { band: chalk.bgAnsi256(band) } : {};
  return styleOf({ ...style, ...Object.fromEntries(painted), ...bands }, own);
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
  const level = hasRgb === true ? 3 : fewer;
  const add = (style: ChalkInstance, word: string): ChalkInstance => {
    if (word === 'default') return style;
    if (word.startsWith('#')) return style.hex(word);
    return style[word.replace(/^bright-(.+)$/, '$1Bright') as ColorName | ModifierName];
  };
  const paintOf = (look: string) => look.split(' ').reduce(add, new Chalk({ level }));
  return Object.fromEntries(Object.entries(looks).map(([part, look]) => [part, paintOf(look)]));
}
