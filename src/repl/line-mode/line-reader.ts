/** Splits the input of a cooked terminal into lines, whose UTF-8 bytes may arrive split anywhere. */
export function createLineReader() {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  return {
    /** @returns the completed lines without line ends */
    feed(bytes: Uint8Array): readonly string[] {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      return lines;
    },
    /** The text after the last line end; undefined if empty. */
    end(): string | undefined {
      const last = rest + decoder.decode();
      rest = '';
      return last === '' ? undefined : last;
    },
  };
}

/** Joins continued lines: a backslash at the end of a line becomes a line end. */
export function joinContinued(lines: readonly string[]): {
  readonly whole: readonly string[];
  /** The last lines, if their continuation is missing. */
  readonly open: readonly string[];
} {
  const whole: string[] = [];
  let open: string[] = [];
  for (const line of lines) {
    if (line.endsWith('\\')) {
      open.push(line.slice(0, -1));
    } else {
      whole.push([...open, line].join('\n'));
      open = [];
    }
  }
  return { whole, open: open.map((line) => `${line}\\`) };
}
