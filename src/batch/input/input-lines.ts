import { isUtf8 } from 'node:buffer';
import { Failure } from '../../failure.ts';
import { createLineSplitter } from './line-splitter.ts';

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

function refuseUtf16(chunk: Uint8Array): void {
  const [first, second] = chunk;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (!isMarked) return;
  throw new Failure('usage', 'the input is UTF-16; batch input must be UTF-8', {
    hint: 'convert it first: iconv -f UTF-16 -t UTF-8 prompts.txt > prompts.utf8.txt',
  });
}

function decode(bytes: Buffer | undefined, number: number): InputLine {
  if (bytes === undefined) return { number, text: '', problem: tooLong };
  if (!isUtf8(bytes)) return { number, text: '', problem: 'is not UTF-8' };
  const text = bytes.toString();
  return { number, text: number === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text };
}

/** Removes a byte order mark. @throws Failure `usage` for UTF-16; errors of `source` */
export async function* readInputLines(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly InputLine[], void> {
  const splitter = createLineSplitter(maxLineLength);
  let number = 0;
  let isFirst = true;
  for await (const chunk of source) {
    if (isFirst && chunk.length > 0) {
      refuseUtf16(chunk);
      isFirst = false;
    }
    yield splitter.add(chunk).map((bytes) => decode(bytes, (number += 1)));
  }
  yield splitter.end().map((bytes) => decode(bytes, (number += 1)));
}
