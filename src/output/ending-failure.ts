import { Failure, replacedFailure } from '../failure.ts';

/** Anything thrown as a {@link Failure}; other errors become `unexpected`. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const replaced = replacedFailure(error);
  if (replaced !== undefined) return replaced;
  const message = error instanceof Error ? error.message : String(error);
  return new Failure('unexpected', `unexpected error: ${message}`, {
    hint: 'run it again with NATTER_DEBUG=1 to see where it happened, and please report it',
    cause: error,
  });
}

/** Why a prompt ended early: what was thrown, or the reason of `signal`. */
export function endingFailure(error: unknown, signal: AbortSignal): Failure {
  if (!signal.aborted) return toFailure(error);
  return signal.reason instanceof Failure ? signal.reason : stoppedAnswer();
}

/** The hint of the remedy `send-again`. It is here because most runs need no other hint. */
export const sendAgain = 'the received text is kept; send the prompt again';

/** The failure of an answer that the user or a signal stopped. */
export function stoppedAnswer(): Failure {
  return new Failure('incomplete', 'the answer is incomplete: natter was stopped', {
    remedy: { code: 'send-again' },
    hint: sendAgain,
  });
}

/** `{error: {kind, status, message, hint, remedy, retry_after, request_id, attempts}}`; `retry_after` is seconds. */
export function failureFields(failure: Failure, clean: (text: string) => string) {
  const error = {
    kind: failure.kind,
    status: failure.status,
    message: clean(failure.message),
    hint: failure.hint === undefined ? undefined : clean(failure.hint),
    remedy: failure.remedy?.code,
    retry_after: failure.retryAfterSeconds,
    request_id: failure.requestId === undefined ? undefined : clean(failure.requestId),
    attempts: failure.attempts,
  };
  return { error };
}

export interface FailureReportOptions {
  /** One JSON line instead of text. */
  readonly json: boolean;
  /** Adds stack traces (`NATTER_DEBUG`). */
  readonly debug: boolean;
  /** Sanitizes text from servers and files, and masks secrets. */
  readonly clean: (text: string) => string;
}

function stacks(failure: Failure, clean: (text: string) => string): string {
  const lines: string[] = [];
  for (let error: unknown = failure; error instanceof Error; error = error.cause) {
    lines.push(...(error.stack ?? String(error)).split('\n'));
  }
  return lines.map((line) => `  ${clean(line)}\n`).join('');
}

/** The message with the request's id, in the brackets of the attempts if it has them: `(5 attempts, request abc)`. */
function withRequest({ message, attempts, requestId }: Failure): string {
  if (requestId === undefined) return message;
  const ending = ` (${attempts} attempts)`;
  return message.endsWith(ending)
    ? `${message.slice(0, -1)}, request ${requestId})`
    : `${message} (request ${requestId})`;
}

/**
 * The report on standard error: `natter: <what happened>`, and on the next line the hint.
 * The JSON form is that of {@link failureFields}.
 */
export function reportFailure(failure: Failure, options: FailureReportOptions): string {
  const { clean } = options;
  const trace = options.debug ? stacks(failure, clean) : '';
  if (options.json) return `${JSON.stringify(failureFields(failure, clean))}\n${trace}`;
  const hint = failure.hint === undefined ? '' : `  ${clean(failure.hint)}\n`;
  return `natter: ${clean(withRequest(failure))}\n${hint}${trace}`;
}
