export interface OutputTail {
  add(text: string): void;
  /** The end of the text, and the number of bytes that were cut before it. */
  end(): { readonly text: string; readonly bytes: number; readonly cut: number };
}

const lineEnd = 0x0a;
const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** Whole lines, if the cut is not in the last one; else whole characters. */
function endOf(bytes: Buffer, limit: number): Buffer {
  const end = bytes.subarray(-limit);
  const next = end.indexOf(lineEnd) + 1;
  if (next > 0 && next < end.length) return end.subarray(next);
  let start = 0;
  while (isContinuation(end[start])) start += 1;
  return end.subarray(start);
}

/** Keeps the last `limit` bytes (UTF-8) of a text that arrives in pieces. */
export function createOutputTail(limit: number): OutputTail {
  let kept = '';
  let bytes = 0;
  return {
    add(text) {
      bytes += Buffer.byteLength(text);
      kept += text;
      // A character has at least as many bytes as UTF-16 units.
      if (kept.length > 2 * limit) kept = kept.slice(-limit - 1);
    },
    end() {
      const all = Buffer.from(kept);
      const end = bytes <= limit ? all : endOf(all, limit);
      return { text: end.toString(), bytes, cut: bytes - end.length };
    },
  };
}
