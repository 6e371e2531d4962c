import type { CompletionRequest, ErrorName } from '../client/contract.ts';
import type { ChatEvent } from '../client/events.ts';
import { Failure, type FailureKind } from '../failure.ts';

/**
 * Answers in place of the sandbox's own replies. It is asked with the contract's fields alone and has to throw a
 * {@link Failure} where it cannot answer, or the signal's reason once that aborts.
 */
export type Engine = (request: CompletionRequest, signal: AbortSignal) => AsyncIterable<ChatEvent>;

/** What a client may be told as its own matter; anything else is a failure of the service it asked. */
const toldAsTheyAre: Readonly<Partial<Record<FailureKind, ErrorName>>> = {
  invalid_request: 'invalid_request',
  forbidden: 'forbidden',
  not_found: 'not_found',
  rate_limited: 'rate_limited',
};

/** Without what the client made of the status: whoever is told makes the same of the contract's. */
function saidWith({ message, status }: Failure): string {
  const mark = ` (${status}): `;
  const at = status === undefined ? -1 : message.indexOf(mark);
  return at < 0 ? `: ${message}` : message.slice(at);
}

/**
 * The contract's error for what an engine threw. The engine's 401 is about a key that the client neither has nor
 * knows, so it becomes a `server_error`. Hints are left out: they speak to whoever runs the sandbox.
 * @returns anything but a Failure as it is
 */
export function engineFailure(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { kind, retryAfterSeconds: wait } = error;
  const told =
    kind === 'unauthorized' ? "upstream refused the sandbox's own key, not yours" : 'upstream';
  return new Failure(toldAsTheyAre[kind] ?? 'server_error', `${told}${saidWith(error)}`, {
    cause: error,
    ...(wait !== undefined && Number.isFinite(wait) && { retryAfterSeconds: Math.ceil(wait) }),
  });
}
