type LogLine = Readonly<Record<string, unknown>>;

/** Collects the lines of a sandbox's log. */
export function createLog() {
  const lines: string[] = [];
  const waiting: (() => void)[] = [];
  return {
    lines,
    write: (line: string) => {
      lines.push(line);
      for (const resolve of waiting.splice(0)) resolve();
    },
    /** Waits for this many entries. */
    entries: async (count: number): Promise<readonly LogLine[]> => {
      while (lines.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
      return lines.map((line) => JSON.parse(line) as LogLine);
    },
  };
}
