import { Readable } from 'node:stream';
import type { ForeignResponse } from '../../batch/results/foreign-result.ts';
import { noAnswer } from '../../client/failure/answer-failure.ts';
import { kindOfStatus, readErrorValue } from '../../client/failure/error-body.ts';
import { readAnswer } from '../../client/stream/answer-reader.ts';
import { Failure } from '../../failure.ts';
import type { AnswerMetadata } from '../../output/answer-meter.ts';
import { toFailure } from '../../output/ending-failure.ts';
import type { ItemOutcome } from './sending/send-item.ts';

/** Secrets are masked when the result is written. */
const unmasked = (text: string) => text;

function engineFailure({ status, requestId, error }: ForeignResponse): Failure {
  const { message = 'the engine returned no answer', name } = readErrorValue(error, unmasked);
  const isRefused = status !== undefined && status >= 400;
  const cause = isRefused ? String(status) : name;
  const text = cause === undefined || message.includes(cause) ? message : `${message} (${cause})`;
  return new Failure(isRefused ? kindOfStatus(status) : 'server_error', text, {
    ...(isRefused ? { status } : {}),
    ...(requestId === undefined ? {} : { requestId }),
  });
}

interface ReadBody {
  readonly content: string;
  readonly metadata: AnswerMetadata;
  readonly failure: Failure | undefined;
}

/** Reads a completion like the response of a service. */
async function readBody(body: string): Promise<ReadBody> {
  let content = '';
  let refusal: string | undefined;
  let metadata: AnswerMetadata = { complete: false };
  let failure: Failure | undefined;
  try {
    const bytes = Readable.from([Buffer.from(body)]) as AsyncIterable<Uint8Array>;
    for await (const part of readAnswer(bytes, 'application/json', { mask: unmasked })) {
      if (part.type === 'text-received') content += part.text;
      if (part.type === 'refusal-received') refusal = (refusal ?? '') + part.text;
      if (part.type !== 'end') continue;
      const { type: _type, calledTools: _called, ...end } = part;
      metadata = end;
      failure = noAnswer(part, { text: content !== '', refusal: refusal !== undefined });
    }
  } catch (error) {
    failure = toFailure(error);
  }
  return {
    content,
    metadata: { ...metadata, ...(refusal === undefined ? {} : { refusal }) },
    failure,
  };
}

/** The outcome of an item that another engine processed. */
export async function importedOutcome(response: ForeignResponse): Promise<ItemOutcome> {
  const isAnswer = response.error === undefined && response.body !== undefined;
  const nothing: ReadBody = { content: '', metadata: { complete: false }, failure: undefined };
  const isRefused = response.status !== undefined && response.status >= 400;
  // A cut answer has a body beside its error.
  const read = response.body === undefined || isRefused ? nothing : await readBody(response.body);
  const { content, metadata } = read;
  const failure = isAnswer ? read.failure : engineFailure(response);
  return {
    requestedModel: metadata.model ?? '',
    content,
    received: content,
    metadata,
    failure,
    error: failure,
    isStopped: false,
    isStarved: false,
  };
}
