import { Failure } from '../../failure.ts';
import { isJsonObject, type JsonObject, parseAnyJson } from '../../json.ts';
import { malformedJson } from '../failure/answer-failure.ts';
import type { Answer } from './answer.ts';
import type { ChunkForms } from './chunk-forms.ts';
import { readChunk } from './completion-chunk.ts';
import { parseErrorBody } from '../failure/error-body.ts';
import { createEventStream, type EventStream, type StreamEvent } from './event-stream.ts';
import { findError, reportedError } from '../failure/reported-error.ts';

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

/** Adds texts at the start of the part. @returns the rest of it */
function takeTexts(part: string, { answer, forms }: Reader): string {
  const found = answer.finished() ? undefined : forms.matchEvents(part);
  if (found === undefined) return part;
  answer.addTexts(found.content, found.texts);
  return found.rest;
}

const eventEnd = '\n\n';

/**
 * Adds the events of one completion stream to `answer` (contract, Response when `stream` is true). It skips an event cut
 * by the end of the body, because the answer is then incomplete anyway, and throws Failure for an event that reports an
 * error or is not a JSON object.
 * @param limit see {@link createEventStream}
 */
export function createCompletionStream(
  answer: Answer,
  forms: ChunkForms,
  limit: number,
): EventStream {
  const reader = { answer, forms };
  const stream = createEventStream((event) => takeCompletionEvent(event, reader), limit);
  let isBetweenEvents = true;

  /** The first event of an answer comes before its texts. */
  function takeFirst(part: string): string {
    const end = part.indexOf(eventEnd) + eventEnd.length;
    if (end < eventEnd.length) return part;
    stream.feed(part.slice(0, end));
    return takeTexts(part.slice(end), reader);
  }
  return {
    feed(part) {
      let rest = isBetweenEvents ? takeTexts(part, reader) : part;
      if (isBetweenEvents && rest === part) rest = takeFirst(part);
      isBetweenEvents = part.endsWith(eventEnd);
      stream.feed(rest);
    },
    end: () => stream.end(),
  };
}
