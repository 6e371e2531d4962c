import { Failure } from '../../failure.ts';
import { isJsonObject, type JsonObject, parseAnyJson } from '../../json.ts';
import { malformed } from '../failure/answer-failure.ts';
import type { Answer } from './answer.ts';
import { createChunkTemplate, type ChunkTemplate } from './chunk-template.ts';
import { readChunk } from './completion-chunk.ts';
import { parseErrorBody } from '../failure/error-body.ts';
import type { StreamEvent } from './event-stream.ts';
import { findError, reportedError } from '../failure/reported-error.ts';

interface Reader {
  readonly answer: Answer;
  readonly template: ChunkTemplate;
}

/** How the streams of two other wire formats begin, which servers of several formats have at other paths. */
const foreignBeginning = /^(?:message_start|response\.created)$/;

function refuseForeign({ type, choices }: JsonObject): void {
  if (choices !== undefined || typeof type !== 'string' || !foreignBeginning.test(type)) return;
  const message = `the stream is not in the format of chat completions ("${type}")`;
  throw new Failure('server_error', message, { remedy: { code: 'check-base-url' } });
}

function takeRecord(data: string, chunk: JsonObject, { answer, template }: Reader): void {
  const content = readChunk(chunk);
  answer.add(content);
  const error = findError(chunk, answer.mask);
  if (error !== undefined) throw reportedError(error);
  if (content.finishReason === 'error') {
    throw new Failure('server_error', 'the service ended the answer with an unnamed error');
  }
  refuseForeign(chunk);
  template.learn(data, content);
}

/** Two events run together, as when an error is written into an unfinished one: the error is what matters. */
function throwUnreadable(data: string, { mask }: Answer): never {
  for (const line of data.split('\n', 16)) {
    const value = parseAnyJson(line);
    const error = isJsonObject(value) ? findError(value, mask) : undefined;
    if (error !== undefined) throw reportedError(error);
  }
  throw malformed('the service sent an event that is not a JSON object', data.length);
}

/** Empty data, a comment that a gateway wrapped as data (`data: : PROCESSING`), and JSON null say nothing. */
function saysNothing(data: string): boolean {
  return data === '' || data.startsWith(':') || data === 'null';
}

function takeCompletionEvent(event: StreamEvent, reader: Reader): void {
  const { answer, template } = reader;
  if (answer.finished()) return;
  const data = event.data.trim();
  if (data === '[DONE]') {
    answer.finish();
    return;
  }
  if (event.type === 'error') throw reportedError(parseErrorBody(data, undefined, answer.mask));
  if (saysNothing(data)) return;
  const known = template.match(data);
  if (known !== undefined) {
    answer.add(known);
    return;
  }
  const value = parseAnyJson(data);
  if (isJsonObject(value)) takeRecord(data, value, reader);
  else if (!event.unterminated) throwUnreadable(data, answer);
}

/**
 * A function that adds the events of one completion stream to `answer` (contract, Response when `stream` is true).
 * An event that the end of the body cut short is left out: the answer is then incomplete anyway. The function
 * throws Failure for an event that reports an error or is not a JSON object.
 */
export function completionEvents(answer: Answer): (event: StreamEvent) => void {
  const reader = { answer, template: createChunkTemplate() };
  return (event) => takeCompletionEvent(event, reader);
}
