import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { createLineSplitter } from '../../storage/read-lines.ts';

/** A line of the input without its LF; a CR before the LF is kept. */
export interface InputLine {
  /** The number of the line, from 1. */
  readonly number: number;
  readonly text: string;
  /** Why the line cannot be read, as a predicate; `text` is empty then. */
  readonly problem?: string;
}

/** The longest line in bytes; more than the context window of any model holds. */
export const maxLineLength = 1 << 27;
export const tooLong = 'exceeds the context window of every model';

const byteOrderMark = '\uFEFF';
/** What a decoder puts in the place of bytes that are not UTF-16. */
const replacement = '\uFFFD';

/** The decoder of an input that begins with the byte order mark of UTF-16; null for any other. */
function utf16Decoder([first, second]: Uint8Array): TextDecoder | null {
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le');
  return first === 0xfe && second === 0xff ? new TextDecoder('utf-16be') : null;
}

/** Removes a byte order mark. UTF-16 must have one. @throws errors of `source` */
export async function* readInputLines(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<InputLine, void> {
  const splitter = createLineSplitter(maxLineLength);
  /** Undefined until the first two bytes have arrived, which may be a byte order mark. */
  let decoder: TextDecoder | null | undefined;
  let start = Buffer.alloc(0);
  let number = 0;
  const toLine = (bytes: Buffer | undefined): InputLine => {
    number += 1;
    if (bytes === undefined) return { number, text: '', problem: tooLong };
    if (!isUtf8(bytes)) return { number, text: '', problem: 'is not UTF-8' };
    const text = bytes.toString();
    if (decoder !== null && text.includes(replacement)) {
      return { number, text: '', problem: 'is not UTF-16' };
    }
    return { number, text: number === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text };
  };
  for await (const chunk of source) {
    let bytes = chunk;
    if (decoder === undefined) {
      start = Buffer.concat([start, chunk]);
      if (start.length < 2) continue;
      decoder = utf16Decoder(start);
      bytes = start;
    }
    if (decoder !== null) bytes = Buffer.from(decoder.decode(bytes, { stream: true }));
    for (const line of splitter.add(bytes)) yield toLine(line);
  }
  // A single byte, or half of a unit at the end.
  splitter.add(decoder === undefined ? start : Buffer.from(decoder?.decode() ?? ''));
  for (const line of splitter.end()) yield toLine(line);
}
