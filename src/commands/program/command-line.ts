// What a command line shows before commander parses it.

/** The words before `--`, which ends the options. */
function beforeDashes(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return end < 0 ? words : words.slice(0, end);
}

export function wantsJson(words: readonly string[]): boolean {
  return beforeDashes(words).some((word) => word === '--json' || word === '--jsonl');
}

/** Commander looks for a command after `--`, so `natter -- models` gets the name of the chat command. */
export function routeToChat(
  words: readonly string[],
  names: ReadonlySet<string>,
): readonly string[] {
  if (!words.includes('--')) return words;
  const isCommand = beforeDashes(words).some((word) => names.has(word));
  return isCommand ? words : ['chat', ...words];
}

/**
 * Whether a command line marks its words as a prompt: `natter chat modles`, `natter -- modles`.
 * @param words the whole command line
 * @param prompt the words of it that were parsed as the prompt
 */
export function isNamedPrompt(words: readonly string[], prompt: readonly string[]): boolean {
  const count = (list: readonly string[]) => list.filter((word) => word === 'chat').length;
  return words.includes('--') || count(words) > count(prompt);
}

/**
 * The command at the start of a prompt that follows options of the chat command, as in `natter -m nextgen models list`;
 * undefined after `chat` or `--`.
 * @param words the whole command line
 * @param prompt the words of it that were parsed as the prompt
 */
export function misplacedCommand(
  words: readonly string[],
  prompt: readonly string[],
  names: ReadonlySet<string>,
): string | undefined {
  const [first] = prompt;
  if (first === undefined || !names.has(first) || isNamedPrompt(words, prompt)) return undefined;
  return first;
}

/** Edits (insert, delete, replace, swap neighbours) between two words: optimal string alignment distance. */
export function editDistance(left: string, right: string): number {
  const rows = Array.from({ length: left.length + 1 }, (_, row) =>
    Array.from({ length: right.length + 1 }, (__, column) => (row === 0 ? column : row)),
  );
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= left.length; row += 1) {
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = left[row - 1] === right[column - 1] ? 0 : 1;
      const swapped =
        row > 1 &&
        column > 1 &&
        left[row - 1] === right[column - 2] &&
        left[row - 2] === right[column - 1];
      const best = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + replaced,
        swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
      (rows[row] as number[])[column] = column === 0 ? row : best;
    }
  }
  return at(left.length, right.length);
}

/** Up to this length, two edits make a different word: "hello" does not mean "help". */
const shortWord = 6;

/** `modles` almost matches `models`: one edit for a short word, two for a longer one. Undefined for an exact match. */
export function nearlyNamed(word: string, names: Iterable<string>): string | undefined {
  if (/\s/.test(word)) return undefined;
  const limit = word.length <= shortWord ? 1 : 2;
  const known = [...names];
  if (known.includes(word)) return undefined;
  return known.find((name) => editDistance(word.toLowerCase(), name) <= limit);
}
