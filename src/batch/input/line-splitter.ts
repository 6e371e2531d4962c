const lineEnd = 0x0a;

/** Splits bytes into lines without their LF. Only the incomplete last line is kept in memory. */
export interface LineSplitter {
  /** The lines that `chunk` completes; undefined for a line that is too long. */
  add(chunk: Uint8Array): readonly (Buffer | undefined)[];
  /** A list of the last line if it has no LF; else an empty list. */
  end(): readonly (Buffer | undefined)[];
}

/** @param longest maximum bytes of a line */
export function createLineSplitter(longest: number): LineSplitter {
  let parts: Buffer[] = [];
  let size = 0;
  const keep = (part: Buffer) => {
    size += part.length;
    if (size <= longest) parts.push(part);
    else parts = [];
  };
  const take = (): Buffer | undefined => {
    const [first] = parts;
    const whole = parts.length === 1 ? first : Buffer.concat(parts);
    const line = size > longest ? undefined : whole;
    parts = [];
    size = 0;
    return line;
  };
  return {
    add(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const lines: (Buffer | undefined)[] = [];
      let start = 0;
      for (
        let end = bytes.indexOf(lineEnd);
        end >= 0;
        start = end + 1, end = bytes.indexOf(lineEnd, start)
      ) {
        keep(bytes.subarray(start, end));
        lines.push(take());
      }
      // A copy, because the reader may reuse the buffer for the next chunk.
      if (start < bytes.length) keep(Buffer.from(bytes.subarray(start)));
      return lines;
    },
    end: () => (size === 0 ? [] : [take()]),
  };
}
