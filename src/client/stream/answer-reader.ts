import { Failure } from '../../failure.ts';
import { isJsonObject, parseAnyJson } from '../../json.ts';
import { malformedJson } from '../failure/answer-failure.ts';
import { type Mask, parseErrorBody, readErrorValue } from '../failure/error-body.ts';
import { findError, reportedError } from '../failure/service-failure.ts';
import { type AnswerPart, AnswerParts } from './answer-parts.ts';
import { bodyForm } from './body-form.ts';
import { answerChoice, readChunk } from './completion-chunk.ts';
import { createCompletionStream, sizeLimit, tooLarge } from './completion-stream.ts';

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

/** The characters that are read of a body that is not an answer. */
const maxOther = 64 * 1024;

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
  const events = createCompletionStream(answer, limit);
  const decoder = new LineDecoder();
  let form: ReturnType<typeof bodyForm>;
  /** The start of a body until its form is clear, and all of a body that is no stream. */
  let text = '';

  function read(more: string, ended = false): void {
    if (form === 'event-stream') {
      events.feed(more);
      return;
    }
    text += more;
    form ??= bodyForm(text, contentType, ended);
    // Blank lines do not show a form; some services send them to keep a connection alive.
    if (form === undefined) text = text.replace(/^\s*\n/, '');
    if (form === 'event-stream') events.feed(text);
    if (form !== 'json') return;
    if (text.length > limit) throw tooLarge(limit);
    if (more.trim() !== '') onContent();
  }

  try {
    for await (const bytes of body) {
      read(decoder.decode(bytes));
      yield* answer.take();
      const isOther = form === 'page' || form === 'text';
      if (answer.isFinished || (isOther && text.length > maxOther)) break;
    }
    if (!answer.isFinished) {
      read(decoder.end(), true);
      if (form === 'event-stream') events.end();
      else takeWhole(form, text, answer);
    }
  } catch (error) {
    yield* answer.take();
    throw error;
  }
  yield* answer.end();
}

/**
 * Adds a completion that was sent as one JSON body to `answer`, and finishes it.
 * @throws Failure for an error in that body, and for a body that is not an answer
 */
function takeWhole(form: ReturnType<typeof bodyForm>, text: string, answer: AnswerParts): void {
  const { mask } = answer;
  if (form === 'empty') throw new Failure('server_error', 'the service sent an empty answer');
  const remedy = { code: 'check-base-url' } as const;
  if (form !== 'json') {
    const { message } = parseErrorBody(text, undefined, mask);
    const what = form === 'page' ? 'a web page' : 'plain text';
    const quote = message === undefined ? '' : `: ${message}`;
    const problem = `the service sent ${what} instead of an answer${quote}`;
    throw new Failure('server_error', problem, { remedy });
  }
  const value = parseAnyJson(text);
  if (value === undefined) {
    throw malformedJson("the service's response is malformed JSON", text.length);
  }
  const isError = typeof value === 'string' || Array.isArray(value);
  const object = isJsonObject(value) ? value : {};
  const error = isError ? readErrorValue(value, mask) : findError(object, mask);
  if (error !== undefined) throw reportedError(error);
  if (answerChoice(object['choices']) === undefined) {
    const problem = "the service's response is JSON without a completion";
    throw new Failure('server_error', problem, { remedy });
  }
  answer.add(readChunk(object));
  answer.isFinished = true;
}
