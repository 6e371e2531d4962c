/** Leading white space, in columns (with tab stops of four) and in characters. */
export interface Indentation {
  readonly columns: number;
  readonly length: number;
}

/** `column` is the position of the text in its line, for tab stops. */
export function indentation(text: string, column: number): Indentation {
  let columns = 0;
  let length = 0;
  for (; text[length] === ' ' || text[length] === '\t'; length += 1) {
    columns += text[length] === ' ' ? 1 : 4 - ((column + columns) % 4);
  }
  return { columns, length };
}

/** The text without `columns` of its indentation; the rest of a tab becomes spaces. */
export function dedent(text: string, column: number, columns: number): string {
  let removed = 0;
  let index = 0;
  while (removed < columns && (text[index] === ' ' || text[index] === '\t')) {
    removed += text[index] === ' ' ? 1 : 4 - ((column + removed) % 4);
    index += 1;
  }
  return ' '.repeat(Math.max(0, removed - columns)) + text.slice(index);
}
