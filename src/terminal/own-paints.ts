import { Chalk, type ChalkInstance, foregroundColorNames } from 'chalk';
import { eachLine } from './chalk-style.ts';
import type { AnswerPart, OwnPaints } from './style.ts';
import type { TerminalColors } from './themes.ts';

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
    let look = withColor(chalk, color);
    for (const attribute of attributes) look = look[attribute];
    paints[part] = eachLine(look);
  }
  return paints;
}
