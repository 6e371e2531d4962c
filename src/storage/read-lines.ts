import fs from 'node:fs';

/** The bytes of one read. A megabyte is not faster, and makes four times as much garbage. */
const chunkSize = 1 << 18;
const lineEnd = 0x0a;
/** The most bytes of a line, below the maximum length of strings. */
const maxLine = 1 << 28;

/** Names the damaged lines of a file for a warning; every kind of file says it with this sentence. */
export function unreadLines(path: string, numbers: Iterable<number>): string {
  const [first, ...others] = numbers;
  const which =
    others.length === 0 ? `line ${first}` : `${others.length + 1} lines, from line ${first} on,`;
  return `${which} of ${path} could not be read; the rest is used, and the file is kept`;
}

/**
 * Reads the lines of a file without their ends, in groups as they arrive, so that memory stays bounded. Bytes that are
 * not UTF-8 become U+FFFD; a line over 256 MB becomes an empty one. `start` is the offset in bytes of the first line;
 * it must be 0 if the file is not a regular file.
 * @throws the system's error
 */
export function* readLines(path: string, start = 0): Generator<readonly string[], void> {
  const descriptor = fs.openSync(path, 'r');
  const buffer = Buffer.allocUnsafe(chunkSize);
  let carry: Buffer[] = [];
  let carried = 0;
  let at = start;
  const takeCarry = (end: Buffer) => {
    const next = end.indexOf(lineEnd);
    const afterLong = end.subarray(next < 0 ? end.length : next);
    const whole = carried === 0 ? end : Buffer.concat([...carry, end]);
    const bytes = carried > maxLine ? afterLong : whole;
    carry = [];
    carried = 0;
    return bytes.toString();
  };
  try {
    for (;;) {
      const size = fs.readSync(descriptor, buffer, 0, chunkSize, start === 0 ? null : at);
      at += size;
      if (size === 0) break;
      const chunk = buffer.subarray(0, size);
      const last = chunk.lastIndexOf(lineEnd);
      if (last >= 0) yield takeCarry(chunk.subarray(0, last)).split('\n');
      carried += size - last - 1;
      if (carried <= maxLine) carry.push(Buffer.from(chunk.subarray(last + 1)));
      else carry = [];
    }
    if (carried > 0) yield [takeCarry(Buffer.alloc(0))];
  } finally {
    fs.closeSync(descriptor);
  }
}
