/** Bytes. Longer texts get a buffer of their own. */
const bufferSize = 1 << 18;

export interface EncodedLines {
  /** Of all lines; valid until the next call. */
  readonly bytes: Buffer;
  /** Bytes of each line. */
  readonly lengths: readonly number[];
}

/** Encodes lines as UTF-8 into one buffer, because each new one of some kilobytes costs page faults. */
export function createLineEncoder(): (lines: readonly string[]) => EncodedLines {
  let buffer: Buffer | undefined;
  return (lines) => {
    const lengths = lines.map((line) => Buffer.byteLength(line));
    const size = lengths.reduce((sum, length) => sum + length, 0);
    const text = lines.join('');
    if (size > bufferSize) return { bytes: Buffer.from(text), lengths };
    buffer ??= Buffer.allocUnsafeSlow(bufferSize);
    // Text with a byte for each character is ASCII, which needs no conversion.
    buffer.write(text, size === text.length ? 'latin1' : 'utf8');
    return { bytes: buffer.subarray(0, size), lengths };
  };
}
