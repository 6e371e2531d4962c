import { Failure } from '../../failure.ts';
import type { StreamEnd } from '../stream/answer-parts.ts';
import { formatLimit } from './format-duration.ts';
import { rephrase } from './change-failure.ts';

/** What did not happen within a limit. */
const timeouts = {
  firstByteTimeout: (place: string) => `${place} sent no response within`,
  idleTimeout: (place: string) => `${place} sent no content for`,
  totalTimeout: () => 'the answer was not complete within',
};

/**
 * The failure of a request that took longer than a limit of the user. It is not retried: the service may be generating,
 * and a second request could be billed as well.
 * @param limits milliseconds
 */
export function timedOut<Name extends keyof typeof timeouts>(
  limit: Name,
  limits: Readonly<Record<Name, number>>,
  place = 'the service',
): Failure {
  const message = `${timeouts[limit](place)} ${formatLimit(limits[limit])}`;
  return new Failure('unreachable', message, { remedy: { code: 'raise-timeout', limit } });
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
