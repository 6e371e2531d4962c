import { Failure } from '../../failure.ts';
import type { StreamEnd } from '../stream/answer-parts.ts';
import { rephrase } from './change-failure.ts';

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Writes seconds in their two largest units, rounded up to whole seconds: `2 minutes`, `1 hour 5 minutes`. */
export function formatWait(seconds: number): string {
  let rest = Math.max(1, Math.ceil(seconds));
  const largest = units.findIndex(([, size]) => rest >= size);
  const words = units.slice(largest, largest + 2).flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return count === 0 ? [] : [plural(count, unit)];
  });
  return words.join(' ');
}

/** Writes a limit exactly, in its largest whole unit: `500 milliseconds`, `1.5 seconds`, `90 seconds`. */
export function formatLimit(milliseconds: number): string {
  if (milliseconds < 1000) return plural(milliseconds, 'millisecond');
  const whole = units.find(([, size]) => milliseconds % (size * 1000) === 0);
  const [unit, size] = whole ?? (['second', 1] as const);
  return plural(milliseconds / 1000 / size, unit);
}

function plural(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Writes the local time that many seconds after `now`, in ISO order; with the date if that is a day or more. */
export function localTimeAfter(seconds: number, now: Date): string {
  const then = new Date(now.getTime() + seconds * 1000);
  // Swedish times are in ISO order.
  return seconds < 86_400 ? then.toLocaleTimeString('sv') : then.toLocaleString('sv');
}

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
