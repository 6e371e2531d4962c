import { isUtf8 } from 'node:buffer';

/** Encodings of an input, by its byte order mark. */
type InputEncoding = 'UTF-8' | 'UTF-16';

/** A byte that no UTF-8 text contains: the mark of a unit that is not valid UTF-16. */
const invalidByte = Buffer.from([0xff]);

/** The encoding and byte order of a UTF-16 input; undefined for any other. @param start at least two bytes */
function orderOf([first, second]: Uint8Array): 'little' | 'big' | undefined {
  if (first === 0xff && second === 0xfe) return 'little';
  return first === 0xfe && second === 0xff ? 'big' : undefined;
}

const loneSurrogate = /\p{Surrogate}/u;

/** UTF-8, with {@link invalidByte} for each lone surrogate. */
function encode(text: string): Buffer {
  if (!loneSurrogate.test(text)) return Buffer.from(text);
  const parts = text.split(loneSurrogate).map((part) => Buffer.from(part));
  return Buffer.concat(parts.flatMap((part, at) => (at === 0 ? [part] : [invalidByte, part])));
}

/** Splits off a last unit that the next bytes may complete: an odd byte, or the first half of a surrogate pair. */
function wholeLength(bytes: Buffer): number {
  const length = bytes.length - (bytes.length % 2);
  const isHigh = length >= 2 && (bytes.readUInt16LE(length - 2) & 0xfc00) === 0xd800;
  return isHigh ? length - 2 : length;
}

async function* transcode(
  chunks: AsyncIterable<Uint8Array>,
  order: 'little' | 'big',
): AsyncGenerator<Uint8Array, void> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    // `rest` is in the order of the input, because a pair of bytes may be split.
    const bytes = Buffer.concat([rest, chunk]);
    const even = bytes.length - (bytes.length % 2);
    const units = Buffer.from(bytes.subarray(0, even));
    if (order === 'big') units.swap16();
    const whole = wholeLength(units);
    rest = bytes.subarray(whole);
    if (whole > 0) yield encode(units.toString('utf16le', 0, whole));
  }
  if (rest.length > 0) yield invalidByte;
}

/** The chunks of a source after the first bytes were looked at. */
async function* resumed(
  start: Uint8Array,
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield start;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

interface DecodedInput {
  readonly encoding: InputEncoding;
  /** Bytes of UTF-8; a line of a UTF-16 input that is not valid is not valid UTF-8 either. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Converts UTF-16 with a byte order mark to UTF-8; any other input stays as it is. @throws errors of `source` */
async function decodeInput(source: AsyncIterable<Uint8Array>): Promise<DecodedInput> {
  const iterator = source[Symbol.asyncIterator]();
  let start: Uint8Array = Buffer.alloc(0);
  while (start.length < 2) {
    const next = await iterator.next();
    if (next.done === true) break;
    start = start.length === 0 ? next.value : Buffer.concat([start, next.value]);
  }
  const order = orderOf(start);
  const bytes = resumed(start, iterator);
  if (order === undefined) return { encoding: 'UTF-8', bytes };
  return { encoding: 'UTF-16', bytes: transcode(bytes, order) };
}

const lineEnd = 0x0a;

/** Splits bytes into lines without their LF. Only the incomplete last line is kept in memory. */
interface LineSplitter {
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

/** A line of the input without its LF; a CR before the LF is kept. */
export interface InputLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** Why the line cannot be read, as a predicate; `text` is empty then. */
  readonly problem?: string;
}

/** In bytes; more than the context window of any model holds. */
export const maxLineLength = 1 << 27;
/** The problem of a longer line. */
export const tooLong = 'exceeds the context window of every model';

const byteOrderMark = '\uFEFF';

function decode(bytes: Buffer | undefined, number: number, encoding: InputEncoding): InputLine {
  if (bytes === undefined) return { number, text: '', problem: tooLong };
  if (!isUtf8(bytes)) return { number, text: '', problem: `is not ${encoding}` };
  const text = bytes.toString();
  return { number, text: number === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text };
}

/** Removes a byte order mark. UTF-16 must have one. @throws errors of `source` */
export async function* readInputLines(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly InputLine[], void> {
  const splitter = createLineSplitter(maxLineLength);
  const { encoding, bytes } = await decodeInput(source);
  let number = 0;
  const toLine = (line: Buffer | undefined) => decode(line, (number += 1), encoding);
  for await (const chunk of bytes) yield splitter.add(chunk).map(toLine);
  yield splitter.end().map(toLine);
}
