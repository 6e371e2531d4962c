import { displayWidth, padToWidth } from '../../terminal/text/width.ts';
import { wrapText } from '../../terminal/text/wrap.ts';
import { keyBindings, keyLabel } from '../editing/keys/key-bindings.ts';
import type { ReplState } from '../state/state.ts';
import type { SlashCommand } from './slash-command.ts';

type Row = readonly [term: string, summary: string];

/** Indentation of a summary below its term, when both do not fit on one row. */
const indent = 4;

export function usageOf({ name, argument }: SlashCommand): string {
  return argument === '' ? `/${name}` : `/${name} ${argument}`;
}

function wrapped(text: string, columns: number): readonly string[] {
  const width = Math.max(1, columns - indent - 1);
  return wrapText(text, width).map((row) => ' '.repeat(indent) + row);
}

/** Two columns if they fit, else each summary below its term; in line mode `term: summary`. */
function table(rows: readonly Row[], { columns, isLineMode }: ReplState): readonly string[] {
  if (isLineMode) return rows.map(([term, summary]) => `${term}: ${summary}`);
  const widest = Math.max(...rows.map(([term]) => displayWidth(term)));
  const longest = Math.max(...rows.map(([, summary]) => displayWidth(summary)));
  return widest + longest + 2 < columns
    ? rows.map(([term, summary]) => `${padToWidth(term, widest)}  ${summary}`)
    : rows.flatMap(([term, summary]) => [term, ...wrapped(summary, columns)]);
}

const doubleSlash: Row = ['//', 'sends a line that starts with a slash'];
const keyAdvice: Row = ['/help keys', 'all keys; the most important: Enter, Ctrl+J, Esc, Ctrl+C'];

export function commandHelp(commands: readonly SlashCommand[], state: ReplState): string {
  const rows = commands.map((command): Row => [usageOf(command), command.summary]);
  const others = state.isLineMode ? [doubleSlash] : [doubleSlash, keyAdvice];
  return table([...rows, ...others], state).join('\n');
}

/** Each key once, by its first chord. */
export function keyHelp(state: ReplState): string {
  const shown = keyBindings.filter(({ when }) => when === 'composer' || when === 'anywhere');
  const rows = shown.map(({ keys: [key = ''], summary }): Row => [keyLabel(key), summary]);
  return table(rows, state).join('\n');
}
