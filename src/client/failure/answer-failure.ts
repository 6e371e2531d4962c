import { Failure } from '../../failure.ts';
import type { StreamEnd } from '../stream/answer-parts.ts';
import { formatLimit } from './format-duration.ts';
import { rephrase } from './change-failure.ts';

/**
 * The failure of a service that sent only keep-alives for `limit` milliseconds. It is not retried: it may be
 * generating.
 */
export function idleTimedOut(limit: number): Failure {
  return new Failure('unreachable', `the service sent no content for ${formatLimit(limit)}`, {
    remedy: { code: 'raise-timeout', limit: 'idleTimeout' },
  });
}

/** The failure of an answer that is not complete after `limit` milliseconds, retries included. */
export function totalTimedOut(limit: number): Failure {
  const message = `the answer was not complete within ${formatLimit(limit)}`;
  return new Failure('unreachable', message, {
    remedy: { code: 'raise-timeout', limit: 'totalTimeout' },
  });
}

/** The failure of a body that ended without `[DONE]` or a `finish_reason`: the connection was cut. */
export function unfinishedStream(): Failure {
  const message =
    'the stream ended without a finish_reason or [DONE], so the service or a proxy cut it off';
  return new Failure('server_error', message, { transient: true });
}

/**
 * The failure of a stream of `[DONE]` alone. It is not retried: the service may have billed an answer that got lost.
 */
export function emptyAnswer(): Failure {
  const message = 'the answer is incomplete: the service sent neither text nor a finish_reason';
  const hint = 'send the prompt again';
  return new Failure('incomplete', message, { remedy: { code: 'send-again' }, hint });
}

/**
 * The failure of text that should be JSON. It shows neither the text nor the parser's message, which quotes it, because
 * neither may reach a terminal or a log.
 */
export function malformedJson(what: string, length: number): Failure {
  return new Failure('server_error', `${what} (${length} characters)`, {
    transient: true,
    remedy: { code: 'report-to-operator' },
  });
}

/**
 * The failure of an answer that was cut. It is not retried after its first content, because it would be billed twice.
 * Before any content, a rate limit in a 200 is retried like a 429; other reported errors and unreadable bodies are final.
 */
export function cutAnswer(
  cause: Failure,
  hasContent: boolean,
  requestId: string | undefined,
): Failure {
  if (!hasContent) {
    const { transient = cause.kind === 'rate_limited' } = cause;
    return rephrase(cause, { requestId, transient });
  }
  const { remedy } = cause;
  const isLimit = remedy?.code === 'raise-timeout';
  // The message for the total time says already that the answer is not complete.
  const isTotal = isLimit && remedy.limit === 'totalTimeout';
  return rephrase(cause, {
    kind: 'incomplete',
    message: isTotal ? cause.message : `the answer is incomplete: ${cause.message}`,
    remedy: isLimit ? remedy : { code: 'send-again' },
    cause,
    requestId,
  });
}

/** The messages for complete streams without an answer, by their `finish_reason`. */
const noAnswerMessages: Readonly<Record<string, string>> = {
  content_filter: 'the service filtered the answer',
  tool_calls: 'the model called a tool instead of answering',
  function_call: 'the model called a function instead of answering',
};

/**
 * The failure of a complete stream without an answer; undefined for an answer. It is not retried: the next attempt
 * would most likely end in the same way, and be billed, too.
 */
export function noAnswer(
  { finishReason, calledTools }: StreamEnd,
  received: { readonly text: boolean; readonly refusal: boolean },
): Failure | undefined {
  const fail = (message: string, code: 'rephrase-prompt' | 'ask-for-text') =>
    new Failure('no_answer', message, { remedy: { code } });
  if (received.refusal) return fail('the model refused to answer', 'rephrase-prompt');
  // Some servers send `stop` after a call.
  const reason = calledTools && !received.text ? 'tool_calls' : finishReason;
  if (reason === undefined || !Object.hasOwn(noAnswerMessages, reason)) return undefined;
  const message = `${noAnswerMessages[reason]} (finish_reason ${reason})`;
  return fail(message, reason === 'content_filter' ? 'rephrase-prompt' : 'ask-for-text');
}
