import { pairsIn } from '../../../terminal/text/pairs.ts';
import { motions } from './motions.ts';
import type { Command, Operator } from './vi-state.ts';

/** Ctrl+R. */
export const redoKey = '\u0012';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const objects = words('w W " \' ` ( ) b [ ] { } B < > p');
const normalCommands = words(`p P J o O i a I A gI u ${redoKey} . ~ v V r ZZ ZQ gj gk`);
const visualCommands = words('d x y c s r > < ~ u U gu gU g~ J p P o O I A v V gj gk');

/** Commands that are an operator with a motion or with lines. */
const shortForms = pairsIn('x dl X dh D d$ C c$ s cl S cc Y yy');

const maxCount = 999;
const number = (name: string) => String.raw`(?:(?<${name}>[1-9]\d*)(?!\d))?`;
const operated = `(?:(?<operator>[dcy<>]|g[~uU])${number('after')})?`;
const normalKeys = new RegExp(`^${number('before')}${operated}(?<rest>.*)$`, 's');
const visualKeys = new RegExp(`^${number('before')}(?<rest>.*)$`, 's');

/** The command that the keys after count and operator name. */
function parseName(
  rest: string,
  count: number | undefined,
  operator: Operator | undefined,
  inVisual: boolean,
): Command | 'incomplete' | 'invalid' {
  const first = rest.charAt(0);
  const hasObject = (operator !== undefined || inVisual) && /[ia]/.test(first);
  const hasCharacter = /[fFtT]/.test(first) || (first === 'r' && operator === undefined);
  if (rest === '' || (rest === first && (hasObject || hasCharacter || /[gZ]/.test(first)))) {
    return 'incomplete';
  }
  if (hasCharacter) return { operator, name: first, character: rest.slice(1), count };
  const command = { operator, name: rest, character: '', count };
  if (hasObject) return count === undefined && objects.has(rest.slice(1)) ? command : 'invalid';
  if (operator !== undefined && [operator, operator.at(-1), '_'].includes(rest)) {
    return { ...command, name: 'lines' };
  }
  if (Object.hasOwn(motions, rest)) return command;
  if (operator !== undefined) return 'invalid';
  const short = inVisual ? undefined : shortForms.get(rest);
  if (short !== undefined) {
    return parseName(short.charAt(1), count, short.charAt(0) as Operator, false);
  }
  return (inVisual ? visualCommands : normalCommands).has(rest) ? command : 'invalid';
}

/** The command of keys typed in normal or visual mode. Each key is a character. */
export function parseKeys(
  keys: readonly string[],
  inVisual: boolean,
): Command | 'incomplete' | 'invalid' {
  const found = (inVisual ? visualKeys : normalKeys).exec(keys.join(''))?.groups ?? {};
  const { before, after, rest = '' } = found;
  const counts = [before, after].filter((count) => count !== undefined).map(Number);
  const count = Math.min(
    maxCount,
    counts.reduce((product, each) => product * each, 1),
  );
  return parseName(
    rest,
    counts.length === 0 ? undefined : count,
    found['operator'] as Operator | undefined,
    inVisual,
  );
}
