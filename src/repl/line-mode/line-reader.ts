/** Puts lines together from what a cooked terminal sends. */
export interface LineReader {
  /** Lines that are complete with these bytes (UTF-8, split anywhere), without their ends. */
  feed(bytes: Uint8Array): readonly string[];
  /** What came after the last line end; undefined for nothing. */
  end(): string | undefined;
}

export function createLineReader(): LineReader {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  return {
    feed(bytes) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      return lines;
    },
    end() {
      const last = rest + decoder.decode();
      rest = '';
      return last === '' ? undefined : last;
    },
  };
}

/** Joins lines that go on: those that end with a backslash, which stands for a line end. */
export function joinContinued(lines: readonly string[]): {
  readonly whole: readonly string[];
  /** A last one that still goes on. */
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
