import type { Mask } from '../failure/error-body.ts';
import { type AnswerPart, AnswerParts } from './answer-parts.ts';
import { createBodyReader } from './body-reader.ts';
import { sizeLimit } from './completion-stream.ts';

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
 * @param mask masks errors that the service reports, before they are cut
 * @param onContent called for each chunk with content: not for comments, keep-alives, or events without any
 * @param limit maximum characters in one event or JSON body
 * @throws Failure when the service reports an error or sends no answer, after the texts before it; and any error of
 * `body`.
 */
export async function* readAnswer(
  body: AsyncIterable<Uint8Array>,
  contentType: string | undefined,
  mask: Mask,
  onContent: () => void = () => undefined,
  limit = sizeLimit,
): AsyncGenerator<AnswerPart, void> {
  const answer = new AnswerParts(mask, onContent);
  const reader = createBodyReader(answer, contentType, limit);
  const decoder = new LineDecoder();
  try {
    for await (const bytes of body) {
      reader.feed(decoder.decode(bytes));
      yield* answer.take();
      if (reader.isFull()) break;
    }
    if (!answer.isFinished) {
      reader.feed(decoder.end());
      reader.end();
    }
  } catch (error) {
    yield* answer.take();
    throw error;
  }
  yield* answer.end();
}
