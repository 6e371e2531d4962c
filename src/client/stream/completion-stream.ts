import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { Failure } from '../../failure.ts';
import { isJsonObject, type JsonObject, parseAnyJson } from '../../json.ts';
import { malformedJson } from '../failure/answer-failure.ts';
import { parseErrorBody } from '../failure/error-body.ts';
import { findError, reportedError } from '../failure/service-failure.ts';
import type { AnswerParts } from './answer-parts.ts';
import { readChunk } from './completion-chunk.ts';

/** Maximum characters of one line, of the data of one event, and of a JSON answer: 128 Mi. */
export const sizeLimit = 128 * 1024 * 1024;

/** Reports an event or a body that would fill the memory. @param limit maximum characters */
export function tooLarge(limit: number): Failure {
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

/** Whether data is empty, JSON null, or a comment that a gateway sent as data (`data: : PROCESSING`). */
const isEmpty = (data: string) => data === '' || data.startsWith(':') || data === 'null';

/** @param isCut the body ended within this event */
function takeEvent({ event, data }: EventSourceMessage, isCut: boolean, answer: AnswerParts): void {
  const trimmed = data.trim();
  if (trimmed === '[DONE]') answer.isFinished = true;
  if (answer.isFinished) return;
  if (event === 'error') throw reportedError(parseErrorBody(trimmed, undefined, answer.mask));
  if (isEmpty(trimmed)) return;
  const value = parseAnyJson(data);
  if (isJsonObject(value)) takeChunk(value, answer);
  else if (!isCut) throw unreadable(data, answer);
}

/**
 * Reads the server-sent events of one completion into `answer` (contract, Response when `stream` is true). A last event
 * without a blank line after it, which the standard would drop, is read if it is whole; a cut one is skipped, because
 * the answer is then incomplete anyway. `feed` and `end` throw Failure for an event that reports an error, is not a
 * JSON object, or exceeds the limit.
 * @param limit maximum characters of one line, and of the data of one event
 */
export function createCompletionStream(answer: AnswerParts, limit: number) {
  let hasEnded = false;
  const parser = createParser({
    maxBufferSize: limit,
    onEvent: (event) => takeEvent(event, hasEnded, answer),
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw tooLarge(limit);
    },
  });
  return {
    feed: (text: string) => parser.feed(text),
    end() {
      hasEnded = true;
      parser.feed('\n\n');
    },
  };
}
