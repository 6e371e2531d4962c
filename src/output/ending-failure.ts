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
