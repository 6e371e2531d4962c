// Keys as a person writes them (`alt-m`, `ctrl-x m`, `f4`), in the notation of each shell.
import type { Shell } from '../completion/scripts.ts';

/** What xterm and most other terminals send for F1 to F12, after ESC. */
const functionKeys = 'OP OQ OR OS [15~ [17~ [18~ [19~ [20~ [21~ [23~ [24~'.split(' ');

interface Notation {
  readonly alt: (key: string) => string;
  readonly ctrl: (key: string) => string;
  readonly plain: (key: string) => string;
  readonly functionKey: (number: number) => string;
  readonly separator: string;
}

const codeOf = (number: number) => functionKeys[number - 1] ?? '';

const notations: Readonly<Record<Shell, Notation>> = {
  bash: {
    alt: (key) => String.raw`\e${key}`,
    ctrl: (key) => String.raw`\C-${key}`,
    plain: (key) => key,
    functionKey: (number) => String.raw`\e${codeOf(number)}`,
    separator: '',
  },
  zsh: {
    alt: (key) => `^[${key}`,
    ctrl: (key) => `^${key.toUpperCase()}`,
    plain: (key) => key,
    functionKey: (number) => `^[${codeOf(number)}`,
    separator: '',
  },
  fish: {
    alt: (key) => String.raw`\e${key}`,
    ctrl: (key) => String.raw`\c${key}`,
    plain: (key) => key,
    functionKey: (number) => String.raw`\e${codeOf(number).replace('[', String.raw`\[`)}`,
    separator: '',
  },
  powershell: {
    alt: (key) => `Alt+${key}`,
    ctrl: (key) => `Ctrl+${key}`,
    plain: (key) => key,
    functionKey: (number) => `F${number}`,
    separator: ',',
  },
};

function translate(key: string, notation: Notation): string {
  if (key.startsWith('alt-')) return notation.alt(key.slice(4));
  if (key.startsWith('ctrl-')) return notation.ctrl(key.slice(5));
  const number = /^f(?<number>\d+)$/.exec(key)?.groups?.['number'];
  return number === undefined ? notation.plain(key) : notation.functionKey(Number(number));
}

/** @param key a value of the type `keys` (`settings/value-types.ts`), except `none` */
export function keySequence(key: string, shell: Shell): string {
  const notation = notations[shell];
  return key
    .split(' ')
    .map((one) => translate(one, notation))
    .join(notation.separator);
}
