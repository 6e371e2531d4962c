import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { Failure } from '../../failure.ts';
import { isJsonObject, type JsonObject, parseAnyJson } from '../../json.ts';
import { malformedJson } from '../failure/answer-failure.ts';
import { type Mask, parseErrorBody, readErrorValue } from '../failure/error-body.ts';
import { findError, reportedError } from '../failure/service-failure.ts';
import { answerChoice, type AnswerPart, AnswerParts, readChunk } from './answer-parts.ts';

const field = /^(?:(?:data|event|id|retry)[:\n]|:)/;
const fieldStarts = ['data:', 'event:', 'retry:', 'id:'];

/** The characters of white space after which the content type alone decides. */
const maxBlank = 1024;

function formOfType(contentType = '') {
  const [type = ''] = contentType.trim().toLowerCase().split(/\s*;/, 1);
  if (type === 'text/event-stream') return 'event-stream';
  return type === 'application/json' || type.endsWith('+json') ? 'json' : 'text';
}

/**
 * Detects the form of a body from its first characters. Services send wrong `Content-Type` headers, so the header
 * decides only where the text is ambiguous. Undefined: more text is needed (never if `ended`).
 */
export function bodyForm(
  head: string,
  contentType: string | undefined,
  ended: boolean,
): 'event-stream' | 'json' | 'page' | 'text' | 'empty' | undefined {
  const start = head.trimStart();
  if (start.startsWith('data:')) return 'event-stream';
  if (start === '') {
    if (ended) return 'empty';
    return head.length > maxBlank ? formOfType(contentType) : undefined;
  }
  if (start.startsWith('{') || start.startsWith('[')) return 'json';
  if (start.startsWith('<')) return 'page';
  if (field.test(start)) return 'event-stream';
  const type = formOfType(contentType);
  if (type === 'event-stream') return type;
  if (!ended && fieldStarts.some((name) => name.startsWith(start))) return undefined;
  return start.startsWith('"') ? 'json' : type;
}

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

/** Maximum characters of one line, of the data of one event, and of a JSON answer: 128 Mi. */
const sizeLimit = 128 * 1024 * 1024;

/** Reports an event or a body that would fill the memory. @param limit maximum characters */
function tooLarge(limit: number): Failure {
  return new Failure(
    'server_error',
    `the service sent an event or body of more than ${limit} characters, so natter stopped reading`,
  );
}

/** First events of two other wire formats, which servers of several formats have at other paths. */
const foreignBeginning = /^(?:message_start|response\.created)$/;

function takeChunk(chunk: JsonObject, answer: AnswerParts): void {
  const content = readChunk(chunk);
  answer.add(content);
  const error = findError(chunk, answer.mask);
  if (error !== undefined) throw reportedError(error);
  if (content.finishReason === 'error') {
    throw new Failure('server_error', 'the service ended the answer with an unnamed error');
  }
  const { type, choices } = chunk;
  if (choices === undefined && typeof type === 'string' && foreignBeginning.test(type)) {
    const message = `the stream is not in the format of chat completions ("${type}")`;
    throw new Failure('server_error', message, { remedy: { code: 'check-base-url' } });
  }
}

/** Finds the error in two events that run together, as when a server writes an error into an unfinished event. */
function unreadable(data: string, { mask }: AnswerParts): Failure {
  for (const line of data.split('\n', 16)) {
    const value = parseAnyJson(line);
    const error = isJsonObject(value) ? findError(value, mask) : undefined;
    if (error !== undefined) return reportedError(error);
  }
  return malformedJson('the service sent an event that is not a JSON object', data.length);
}

/**
 * Reads a server-sent event into `answer` (contract, Response when `stream` is true).
 * @param isLast the body ended within this event: if it is cut, it is skipped, because the answer is incomplete anyway
 */
function takeEvent(
  { event, data }: EventSourceMessage,
  isLast: boolean,
  answer: AnswerParts,
): void {
  const trimmed = data.trim();
  if (trimmed === '[DONE]') answer.isFinished = true;
  if (answer.isFinished) return;
  if (event === 'error') throw reportedError(parseErrorBody(trimmed, undefined, answer.mask));
  // Gateways send comments as data (`data: : PROCESSING`), and JSON null.
  if (/^(?::|(?:null)?$)/.test(trimmed)) return;
  const value = parseAnyJson(data);
  if (isJsonObject(value)) takeChunk(value, answer);
  else if (!isLast) throw unreadable(data, answer);
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
  let hasEnded = false;
  const parser = createParser({
    maxBufferSize: limit,
    onEvent: (event) => takeEvent(event, hasEnded, answer),
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw tooLarge(limit);
    },
  });
  const decoder = new LineDecoder();
  let form: ReturnType<typeof bodyForm>;
  /** The start of a body until its form is clear, and all of a body that is no stream. */
  let text = '';

  function read(more: string, ended = false): void {
    if (form === 'event-stream') {
      parser.feed(more);
      return;
    }
    text += more;
    form ??= bodyForm(text, contentType, ended);
    // Blank lines do not show a form; some services send them to keep a connection alive.
    if (form === undefined) text = text.replace(/^\s*\n/, '');
    if (form === 'event-stream') parser.feed(text);
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
      hasEnded = true;
      // A last event without a blank line after it, which the standard would drop, is read if it is whole.
      if (form === 'event-stream') parser.feed('\n\n');
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
