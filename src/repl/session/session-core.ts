import type { Journal } from '../../conversation/journal/journal.ts';
import type { Action, FailureText } from '../state/action.ts';
import { Failure, replacedFailure } from '../../failure.ts';
import { hintOf } from '../../output/remedy-hints.ts';
import { replHints } from '../text/remedy-hints.ts';
import type { ListOptions } from '../state/effect.ts';
import type { Entry } from '../state/entry.ts';
import type { Screen, SessionPorts } from './ports.ts';
import type { ReplState } from '../state/state.ts';
import type { Transcript } from './transcript.ts';

/** The parts of a session that effects use. */
export interface SessionCore {
  readonly ports: SessionPorts;
  readonly screen: Screen;
  readonly transcript: Transcript;
  state(): ReplState;
  dispatch(action: Action): void;
  /** Like the `print` effect: failures become entries. */
  print(entries: readonly Entry[]): void;
  journal(): Journal;
  /** Switches to another conversation and closes the old one. */
  useJournal(journal: Journal): Promise<void>;
  /** A signal for the answer or task that starts; `stop` aborts it. */
  begin(): AbortSignal;
  stop(): void;
  /** Resolves at the next `retryNow`. */
  hurried(): Promise<void>;
  retryNow(): void;
  quit(): void;
  /** Ends the session with an error that cannot be shown as an entry. */
  fail(error: unknown): void;
}

/** Passes the journal's current conversation to the reducer; `settings` are not replaced by it. */
export function dispatchConversation(core: SessionCore, settings?: ListOptions['settings']): void {
  const conversation = core.journal().conversation();
  core.dispatch({ type: 'conversation-changed', conversation, settings });
}

/** The abort reason of an answer or task that the user stopped. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

export function failureText(error: unknown, clean: (text: string) => string): FailureText {
  const failure = error instanceof Failure ? error : replacedFailure(error);
  if (failure !== undefined) {
    const { kind, message } = failure;
    const hint = hintOf(failure, replHints);
    return { kind, message: clean(message), ...(hint !== undefined && { hint: clean(hint) }) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'unexpected', message: clean(`unexpected error: ${message}`) };
}

/** @throws the error of `work`; `Stopped` if the user stopped it */
export async function runTask(
  core: SessionCore,
  work: (signal: AbortSignal) => Promise<readonly Entry[]>,
): Promise<void> {
  const signal = core.begin();
  let entries: readonly Entry[];
  try {
    signal.throwIfAborted();
    entries = await work(signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
  core.dispatch({ type: 'task-ended', entries, now: core.ports.clock.monotonic() });
}
