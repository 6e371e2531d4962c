import { isUtf8 } from 'node:buffer';
import { createLineSplitter } from './line-splitter.ts';
import { decodeInput, type InputEncoding } from './utf16.ts';

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
