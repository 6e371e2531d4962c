import type { Mask } from '../failure/error-body.ts';
import { Answer, type AnswerPart } from './answer.ts';
import { createBodyReader } from './body-reader.ts';
import { sizeLimit } from './completion-stream.ts';

export interface AnswerReaderOptions {
  /** Masks errors that the service reports, before they are cut. */
  readonly mask: Mask;
  /** Called after a read with content: not for comments, keep-alives, or events without any. */
  readonly onContent?: () => void;
  /** Maximum characters in one event or JSON body. */
  readonly limit?: number;
}

/** Larger reads are split, so that little is decoded needlessly after `[DONE]` or a failure. */
const stepBytes = 64 * 1024;

/**
 * Decodes the reads of a body as UTF-8, whatever the charset of the response: invalid bytes become U+FFFD, and one byte
 * order mark is dropped. CR and CRLF become LF, also when a read ends between the two, so that a CR ends its line at
 * once. The parser of events would wait for the next character, and an answer that ends in `[DONE]` would hang.
 */
export class LineDecoder {
  readonly #decoder = new TextDecoder();
  #isAfterReturn = false;

  decode(bytes: Uint8Array): string {
    return this.#toLineFeeds(this.#decoder.decode(bytes, { stream: true }));
  }

  /** U+FFFD for an incomplete last character, else nothing. */
  end(): string {
    return this.#toLineFeeds(this.#decoder.decode());
  }

  #toLineFeeds(text: string): string {
    if (text === '') return text;
    const rest = this.#isAfterReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.#isAfterReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  }
}

/**
 * Reads the body of an answer with status 200, streamed or not, and yields its parts: for each read of `body` at most
 * one of each kind in a row, and a last one of type `end`. Stops at `[DONE]` without waiting for the body's end, and
 * closes the body then, as when the caller stops early.
 * @throws Failure when the service reports an error or sends no answer, after the texts before it; and any error of
 * `body`.
 */
export async function* readAnswer(
  body: AsyncIterable<Uint8Array>,
  contentType: string | undefined,
  { mask, onContent, limit = sizeLimit }: AnswerReaderOptions,
): AsyncGenerator<AnswerPart, void> {
  const answer = new Answer(mask);
  const reader = createBodyReader(answer, contentType, limit);
  const decoder = new LineDecoder();
  try {
    for await (const bytes of body) {
      for (let start = 0; start < bytes.length && !answer.finished(); start += stepBytes) {
        reader.feed(decoder.decode(bytes.subarray(start, start + stepBytes)));
      }
      if (answer.hadContent()) onContent?.();
      yield* answer.takeParts();
      if (answer.finished() || reader.isFull()) break;
    }
    if (!answer.finished()) {
      reader.feed(decoder.end());
      reader.end();
    }
  } catch (error) {
    yield* answer.takeParts();
    throw error;
  }
  yield* answer.end();
}
