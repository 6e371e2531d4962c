import type { Environment } from '../environment.ts';

/** Puts its escape codes around the text of each line, so that every line closes its styles. */
export type Paint = (text: string) => string;

/**
 * Attributes, and six of the 16 ANSI colours, which are readable in every theme. There are no backgrounds, and less
 * important text is `dim`, because bright black is invisible in some themes.
 */
export interface Style {
  /** False if every look returns its text unchanged. */
  readonly colored: boolean;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly italic: Paint;
  readonly underline: Paint;
  readonly strike: Paint;
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

/** Looks that the user chose, which replace those of the theme. */
export type OwnPaints = { readonly [Part in AnswerPart]?: Paint };

export type ColorOption = 'always' | 'never' | 'auto';

interface ColorConditions {
  readonly isTerminal: boolean;
  readonly environment: Environment;
  /** `--color`; `--no-color` is `never`. */
  readonly option?: ColorOption | undefined;
}

/**
 * Whether one stream gets colour. In this order: `--color=always|never`; `NO_COLOR` non-empty (no-color.org);
 * `FORCE_COLOR` or `CLICOLOR_FORCE` non-empty (`0` and `false` do not count); `TERM=dumb`; whether it is a terminal.
 */
export function hasColor({ isTerminal, environment, option }: ColorConditions): boolean {
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
export function paint(open: number | string, close: number): Paint {
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
