import { Failure } from '../../failure.ts';
import { isJsonObject, type JsonObject, parseAnyJson } from '../../json.ts';
import { malformedJson } from '../failure/answer-failure.ts';
import type { Answer } from './answer.ts';
import type { ChunkForms } from './chunk-forms.ts';
import { readChunk } from './completion-chunk.ts';
import { parseErrorBody } from '../failure/error-body.ts';
import { createEventStream, type EventStream, type StreamEvent } from './event-stream.ts';
import { findError, reportedError } from '../failure/service-failure.ts';

interface Reader {
  readonly answer: Answer;
  readonly forms: ChunkForms;
}

/** First events of two other wire formats, which servers of several formats have at other paths. */
const foreignBeginning = /^(?:message_start|response\.created)$/;

function refuseForeign({ type, choices }: JsonObject): void {
  if (choices !== undefined || typeof type !== 'string' || !foreignBeginning.test(type)) return;
  const message = `the stream is not in the format of chat completions ("${type}")`;
  throw new Failure('server_error', message, { remedy: { code: 'check-base-url' } });
}

function takeRecord(data: string, chunk: JsonObject, { answer, forms }: Reader): void {
  const content = readChunk(chunk);
  answer.add(content);
  const error = findError(chunk, answer.mask);
  if (error !== undefined) throw reportedError(error);
  if (content.finishReason === 'error') {
    throw new Failure('server_error', 'the service ended the answer with an unnamed error');
  }
  refuseForeign(chunk);
  forms.learn(data, content);
}

/** Finds the error in two events that run together, as when a server writes an error into an unfinished event. */
function throwUnreadable(data: string, { mask }: Answer): never {
  for (const line of data.split('\n', 16)) {
    const value = parseAnyJson(line);
    const error = isJsonObject(value) ? findError(value, mask) : undefined;
    if (error !== undefined) throw reportedError(error);
  }
  throw malformedJson('the service sent an event that is not a JSON object', data.length);
}

/** Empty data, JSON null, and a comment that a gateway sent as data (`data: : PROCESSING`). */
function isEmpty(data: string): boolean {
  return data === '' || data.startsWith(':') || data === 'null';
}

function takeCompletionEvent(event: StreamEvent, reader: Reader): void {
  const { answer, forms } = reader;
  if (answer.finished()) return;
  const data = event.data.trim();
  if (data === '[DONE]') {
    answer.finish();
    return;
  }
  if (event.type === 'error') throw reportedError(parseErrorBody(data, undefined, answer.mask));
  if (isEmpty(data)) return;
  const known = forms.match(data);
  if (known !== undefined) {
    answer.add(known);
    return;
  }
  const value = parseAnyJson(data);
  if (isJsonObject(value)) takeRecord(data, value, reader);
  else if (!event.unterminated) throwUnreadable(data, answer);
}

const eventEnd = '\n\n';

class CompletionStream implements EventStream {
  readonly #reader: Reader;
  readonly #stream: EventStream;
  #isBetweenEvents = true;

  constructor(reader: Reader, limit: number) {
    this.#reader = reader;
    this.#stream = createEventStream((event) => takeCompletionEvent(event, reader), limit);
  }

  feed(part: string): void {
    let rest = this.#isBetweenEvents ? this.#takeTexts(part) : part;
    if (this.#isBetweenEvents && rest === part) rest = this.#takeFirst(part);
    this.#isBetweenEvents = part.endsWith(eventEnd);
    this.#stream.feed(rest);
  }

  end(): void {
    this.#stream.end();
  }

  /** Adds texts at the start of the part. @returns the rest of it */
  #takeTexts(part: string): string {
    const { answer, forms } = this.#reader;
    const found = answer.finished() ? undefined : forms.matchEvents(part);
    if (found === undefined) return part;
    answer.addTexts(found.content, found.texts, found.text);
    return found.rest;
  }

  /** The first event of an answer comes before its texts. */
  #takeFirst(part: string): string {
    const end = part.indexOf(eventEnd) + eventEnd.length;
    if (end < eventEnd.length) return part;
    this.#stream.feed(part.slice(0, end));
    return this.#takeTexts(part.slice(end));
  }
}

/**
 * Adds the events of one completion stream to `answer` (contract, Response when `stream` is true). It skips an event cut
 * by the end of the body, because the answer is then incomplete anyway, and throws Failure for an event that reports an
 * error or is not a JSON object.
 * @param limit see {@link createEventStream}
 */
export const createCompletionStream = (
  answer: Answer,
  forms: ChunkForms,
  limit: number,
): EventStream => new CompletionStream({ answer, forms }, limit);
