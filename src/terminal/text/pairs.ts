/** Reads a table of words and what they stand for, such as `A up B down`. */
export function pairsIn(table: string): ReadonlyMap<string, string> {
  return new Map(
    Array.from(table.matchAll(/(\S+)\s+(\S+)/g), ([, word = '', meaning = '']) => [word, meaning]),
  );
}
