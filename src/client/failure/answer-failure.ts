import { Failure } from '../../failure.ts';
import type { AnswerEnd } from '../stream/answer.ts';
import { rephrase, RequestFailure } from './request-failure.ts';
import { limitInWords } from './wait-words.ts';

/** The service sent nothing but keep-alives for `limit` milliseconds; not asked again, as it may be generating. */
export function silence(limit: number): RequestFailure {
  return new RequestFailure(
    'unreachable',
    `the service sent no content for ${limitInWords(limit)}`,
    { transient: false, hint: 'ask again, or allow longer pauses with --idle-timeout' },
  );
}

/** The body ended without `[DONE]` or a `finish_reason`, which only a cut does. */
export function unfinished(): RequestFailure {
  return new RequestFailure(
    'server_error',
    'the answer stopped without saying that it was complete',
    {
      transient: true,
    },
  );
}

/**
 * Text in the place of JSON, `length` characters of it: a fault of the service that may be gone the next time. It is
 * not quoted, and neither is the parser's message, which quotes it: it must not reach a terminal or a log.
 */
export function malformed(what: string, length: number): RequestFailure {
  return new RequestFailure('server_error', `${what} (${length} characters)`, {
    transient: true,
    hint: 'ask again; if it stays so, whoever runs the service has to mend it',
  });
}

/** What ended an answer of which content came: it is never asked for again, because it would be paid twice. */
export function incomplete(cause: Failure, requestId: string | undefined): Failure {
  return rephrase(cause, {
    kind: 'incomplete',
    message: `the answer is incomplete: ${cause.message}`,
    hint: 'what was received is kept; ask again for a whole answer',
    cause,
    ...(requestId !== undefined && { requestId }),
  });
}

/**
 * What ended an answer of which no content came. A limit that the service reports inside a 200 counts like a 429;
 * its other errors, and bodies that cannot be read, would come again.
 */
export function emptyAnswerFailure(cause: Failure, requestId: string | undefined): Failure {
  const id = requestId === undefined ? {} : { requestId };
  const transient =
    cause instanceof RequestFailure ? cause.transient : cause.kind === 'rate_limited';
  if (!transient) return rephrase(cause, id);
  const { hint } = cause;
  return new RequestFailure(cause.kind, cause.message, {
    transient,
    cause,
    ...(hint !== undefined && { hint }),
    ...id,
  });
}

/** Why an answer that ended properly is none, by its `finish_reason`. */
const noAnswers: ReadonlyMap<string, string> = new Map([
  ['content_filter', 'the service filtered the answer'],
  ['tool_calls', 'the model called a tool instead of answering'],
  ['function_call', 'the model called a function instead of answering'],
]);

/**
 * The failure of an answer that ended as its service meant it to, and is no answer all the same; undefined for any
 * other. It is not asked for again: the next one would end alike, and be paid as well.
 */
export function noAnswer(
  { finishReason, calledTools }: AnswerEnd,
  received: { readonly text: boolean; readonly refusal: boolean },
): Failure | undefined {
  if (received.refusal) {
    const hint = 'the refusal is kept; ask in other words, or another model';
    return new Failure('no_answer', 'the model refused to answer', { hint });
  }
  // Some servers say `stop` after a call.
  const reason = calledTools && !received.text ? 'tool_calls' : finishReason;
  const message = noAnswers.get(reason ?? '');
  if (reason === undefined || message === undefined) return undefined;
  const hint =
    reason === 'content_filter'
      ? 'what was received is kept; ask in other words, or another model'
      : 'what was received is kept; natter runs no tools, so ask for an answer in words';
  return new Failure('no_answer', `${message} (finish_reason ${reason})`, { hint });
}
