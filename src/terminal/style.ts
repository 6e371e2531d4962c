import type { Environment } from '../environment.ts';

/** Adds its escape codes around the text of each line, so that no colour is left open at a line's end. */
type Paint = (text: string) => string;

/**
 * The looks natter uses: attributes and six of the 16 ANSI colours, which every theme keeps readable. There are
 * no backgrounds, and weak text is `dim`, because bright black is invisible on some themes.
 */
export interface Style {
  /** False when every look returns its text unchanged. */
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
}

export type Look = Exclude<keyof Style, 'colored'>;

export type ColorOption = 'always' | 'never' | 'auto';
export type ColorLevel = 'none' | 'ansi16';

export interface ColorQuestion {
  readonly isTerminal: boolean;
  readonly environment: Environment;
  /** `--color`; `--no-color` is `never`. */
  readonly option?: ColorOption | undefined;
}

/**
 * Whether one stream gets colour. In this order: `--color=always|never`; `NO_COLOR` non-empty (no-color.org);
 * `FORCE_COLOR` or `CLICOLOR_FORCE` non-empty (`0` and `false` force nothing); `TERM=dumb`; is it a terminal?
 */
export function colorLevel({ isTerminal, environment, option }: ColorQuestion): ColorLevel {
  if (option === 'always') return 'ansi16';
  if (option === 'never' || environment['NO_COLOR']) return 'none';
  if (forces(environment['FORCE_COLOR']) || forces(environment['CLICOLOR_FORCE'])) return 'ansi16';
  return isTerminal && environment['TERM'] !== 'dumb' ? 'ansi16' : 'none';
}

function forces(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value);
}

/** ECMA-48 8.3.117: the code that starts a look, and the one that ends it. */
const codes: Readonly<Record<Look, readonly [open: number, close: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  strike: [9, 29],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
};

const looks = Object.keys(codes) as Look[];

export function createStyle(level: ColorLevel): Style {
  const paints = looks.map((look) => [look, level === 'none' ? unchanged : paint(look)] as const);
  return { colored: level !== 'none', ...(Object.fromEntries(paints) as Record<Look, Paint>) };
}

const unchanged: Paint = (text) => text;

function paint(look: Look): Paint {
  const open = `\u001B[${codes[look][0]}m`;
  const close = `\u001B[${codes[look][1]}m`;
  const line = (text: string) => {
    if (text === '') return '';
    // An inner look that ends with the same code would end this one too.
    const inner = text.includes(close) ? text.replaceAll(close, close + open) : text;
    return open + inner + close;
  };
  return (text) => (text.includes('\n') ? text.split('\n').map(line).join('\n') : line(text));
}
