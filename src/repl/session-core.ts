import type { Journal } from '../conversation/journal.ts';
import type { Action, FailureText } from './action.ts';
import { Failure, replacedFailure } from '../failure.ts';
import { adviceInConversation } from './advice.ts';
import type { Entry } from './entry.ts';
import type { SessionPorts } from './ports.ts';
import type { Screen } from './screen.ts';
import type { ReplState } from './state.ts';
import type { Transcript } from './transcript.ts';

/** What the effects of a session work with. */
export interface SessionCore {
  readonly ports: SessionPorts;
  readonly screen: Screen;
  readonly transcript: Transcript;
  state(): ReplState;
  dispatch(action: Action): void;
  journal(): Journal;
  /** Goes over to another conversation; the old one is closed. */
  useJournal(journal: Journal): Promise<void>;
  /** The signal of the answer or task that begins; `stop` aborts it. */
  begin(): AbortSignal;
  stop(): void;
  leave(): void;
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
    const { kind, message, hint } = failure;
    const advice = hint === undefined ? {} : { hint: clean(adviceInConversation(hint)) };
    return { kind, message: clean(message), ...advice };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'unexpected', message: clean(`unexpected error: ${message}`) };
}

/**
 * Runs what a `task` activity stands for; the entries it gives are shown when it is over, or why it failed.
 */
export function runTask(
  core: SessionCore,
  work: (signal: AbortSignal) => Promise<readonly Entry[]>,
): Promise<void> {
  const { ports } = core;
  const signal = core.begin();
  const end = (entries: readonly Entry[]) =>
    core.dispatch({ type: 'task-ended', entries, now: ports.clock.monotonic() });
  return work(signal).then(end, (error: unknown) => {
    if (signal.aborted) {
      end([{ type: 'notice', text: 'stopped' }]);
      return;
    }
    const { message, hint } = failureText(error, ports.clean);
    end([{ type: 'failure', message, hint }]);
  });
}
