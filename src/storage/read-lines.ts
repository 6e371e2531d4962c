import fs from 'node:fs';

/** The bytes of one read. A megabyte is not faster, and makes four times as much garbage. */
const chunkSize = 1 << 18;
/** The most bytes of a line, below the maximum length of strings. */
const maxLine = 1 << 28;
const lineEnd = 0x0a;

/**
 * Splits bytes into lines without their LF. Only the incomplete last line is kept in memory.
 * @param longest maximum bytes of a line
 */
export function createLineSplitter(longest: number) {
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
    /** The lines that `chunk` completes; undefined for a line that is too long. */
    add(chunk: Uint8Array): readonly (Buffer | undefined)[] {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const lines: (Buffer | undefined)[] = [];
      let start = 0;
      for (let end = bytes.indexOf(lineEnd); end >= 0; end = bytes.indexOf(lineEnd, start)) {
        keep(bytes.subarray(start, end));
        lines.push(take());
        start = end + 1;
      }
      // A copy, because the reader may reuse the buffer for the next chunk.
      if (start < bytes.length) keep(Buffer.from(bytes.subarray(start)));
      return lines;
    },
    end: () => (size === 0 ? [] : [take()]),
  };
}

/** Names the damaged lines of a file for a warning; every kind of file says it with this sentence. */
export function unreadLines(
  path: string,
  numbers: Iterable<number>,
  outcome = 'the rest is used, and the file is kept',
): string {
  const [first, ...others] = numbers;
  const which =
    others.length === 0 ? `line ${first}` : `${others.length + 1} lines, from line ${first} on,`;
  return `${which} of ${path} could not be read; ${outcome}`;
}

/**
 * Reads the lines of a file without their ends, as they arrive, so that memory stays bounded. Bytes that are not UTF-8
 * become U+FFFD; a line over 256 MB becomes an empty one. `start` is the offset in bytes of the first line; it must be 0
 * if the file is not a regular file.
 * @throws the system's error
 */
export function* readLines(path: string, start = 0): Generator<string, void> {
  const splitter = createLineSplitter(maxLine);
  const textOf = (line: Buffer | undefined) => line?.toString() ?? '';
  const descriptor = fs.openSync(path, 'r');
  const buffer = Buffer.allocUnsafe(chunkSize);
  let at = start;
  try {
    for (;;) {
      const size = fs.readSync(descriptor, buffer, 0, chunkSize, start === 0 ? null : at);
      if (size === 0) break;
      at += size;
      yield* splitter.add(buffer.subarray(0, size)).map(textOf);
    }
    yield* splitter.end().map(textOf);
  } finally {
    fs.closeSync(descriptor);
  }
}
