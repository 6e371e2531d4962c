import type { Environment } from '../environment.ts';

/** Adds its escape codes around the text of each line, so that no colour is left open at the end of a line. */
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

const unchanged: Paint = (text) => text;

/** For a stream without colour. */
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

/** The style of one stream; chalk is loaded by the first that gets colour. */
export async function loadStyle(level: ColorLevel): Promise<Style> {
  if (level === 'none') return plainStyle;
  const { createChalkStyle } = await import('./chalk-style.ts');
  return createChalkStyle();
}
