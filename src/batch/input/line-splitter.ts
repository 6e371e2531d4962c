const lineEnd = 0x0a;

/** Cuts bytes into lines without their LF; memory holds the line that is not whole yet. */
export interface LineSplitter {
  /** The lines that `chunk` completes; undefined stands for one that is longer than allowed. */
  add(chunk: Uint8Array): readonly (Buffer | undefined)[];
  /** The last line, where it has no LF: an empty list, or that line. */
  end(): readonly (Buffer | undefined)[];
}

/** @param longest most bytes of a line */
export function createLineSplitter(longest: number): LineSplitter {
  let carry: Buffer[] = [];
  let carried = 0;
  const keep = (part: Buffer) => {
    carried += part.length;
    if (carried <= longest) carry.push(part);
    else carry = [];
  };
  const take = (): Buffer | undefined => {
    const [first] = carry;
    const whole = carry.length === 1 ? first : Buffer.concat(carry);
    const line = carried > longest ? undefined : whole;
    carry = [];
    carried = 0;
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
      // A copy: whoever reads may use the same bytes for the next chunk.
      if (start < bytes.length) keep(Buffer.from(bytes.subarray(start)));
      return lines;
    },
    end: () => (carried === 0 ? [] : [take()]),
  };
}
