import type { Journal } from '../../conversation/journal/journal.ts';
import type { Action, FailureText } from '../state/action.ts';
import { Failure, replacedFailure } from '../../failure.ts';
import { hintOf } from '../../output/remedy-words.ts';
import { replWords } from '../text/remedy-words.ts';
import type { Entry } from '../state/entry.ts';
import type { SessionPorts } from './ports.ts';
import type { Screen } from './screen.ts';
import type { ReplState } from '../state/state.ts';
import type { Transcript } from './transcript.ts';

/** What the effects of a session work with. */
export interface SessionCore {
  readonly ports: SessionPorts;
  readonly screen: Screen;
  readonly transcript: Transcript;
  state(): ReplState;
  dispatch(action: Action): void;
  /** Prints as the effect does: a failure becomes an entry. */
  print(entries: readonly Entry[]): void;
  journal(): Journal;
  /** Goes over to another conversation; the old one is closed. */
  useJournal(journal: Journal): Promise<void>;
  /** The signal of the answer or task that begins; `stop` aborts it. */
  begin(): AbortSignal;
  stop(): void;
  leave(): void;
  /** Ends the session with an error that no entry can show. */
  fail(error: unknown): void;
}

/** Tells the reducer what the journal holds now. */
export function tellConversation(core: SessionCore): void {
  const conversation = core.journal().conversation();
  core.dispatch({ type: 'conversation-changed', conversation });
}

/** The reason of an aborted answer or task: the person stopped it. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** Anything thrown, as the transcript shows it. */
export function failureText(error: unknown, clean: (text: string) => string): FailureText {
  const failure = error instanceof Failure ? error : replacedFailure(error);
  if (failure !== undefined) {
    const { kind, message } = failure;
    const hint = hintOf(failure, replWords);
    return { kind, message: clean(message), ...(hint !== undefined && { hint: clean(hint) }) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'unexpected', message: clean(`unexpected error: ${message}`) };
}

/**
 * Runs what a `task` activity stands for; the entries it gives are shown when it is over.
 * @throws what `work` throws; `Stopped` when the person stopped it
 */
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
