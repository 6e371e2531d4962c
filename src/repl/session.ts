import type { Journal } from '../conversation/journal.ts';
import type { Action } from './action.ts';
import { typedContent } from './editing/typed-text.ts';
import type { Entry } from './entry.ts';
import { runEffect } from './effects/run-effect.ts';
import { storageEntry } from './effects/task-effects.ts';
import type { SessionPorts } from './ports.ts';
import { reduce } from './reducer/reduce.ts';
import type { Screen } from './screen.ts';
import { Stopped, type SessionCore } from './session-core.ts';
import type { ReplState } from './state.ts';
import { createPause, createTicker } from './timers.ts';
import { createTranscript, type TranscriptFormat } from './transcript.ts';

/** Milliseconds without a change after which an unsent text is kept on disk. */
const draftPause = 500;

export interface SessionOptions {
  readonly ports: SessionPorts;
  readonly screen: Screen;
  /** Asked for every piece, because the theme may change. */
  readonly format: (state: ReplState) => TranscriptFormat;
  readonly journal: Journal;
  readonly state: ReplState;
}

/** A conversation of a person with a service, until the person leaves. */
export interface Session {
  dispatch(action: Action): void;
  state(): ReplState;
  print(entries: readonly Entry[]): void;
  /** Everything of the conversation is on disk. */
  isStored(): boolean;
  /** Stops what is going on and puts everything away; resolves when that is done. */
  close(): Promise<void>;
  /** Resolves when the person has left. */
  readonly left: Promise<void>;
}

interface Run {
  state: ReplState;
  journal: Journal;
  /** Of the answer or task going on. */
  controller: AbortController;
}

function createCore(
  { ports, screen, format }: SessionOptions,
  run: Run,
  { dispatch, leave }: Pick<SessionCore, 'dispatch' | 'leave'>,
): SessionCore {
  return {
    ports,
    screen,
    dispatch,
    leave,
    transcript: createTranscript(
      () => format(run.state),
      (text) => screen.write(text),
    ),
    state: () => run.state,
    journal: () => run.journal,
    async useJournal(next) {
      const old = run.journal;
      run.journal = next;
      await old.close();
    },
    begin() {
      run.controller = new AbortController();
      return run.controller.signal;
    },
    stop: () => run.controller.abort(new Stopped('stopped')),
  };
}

/** Writes what is not written yet, the journal's state where it matters, and lets go of everything. */
async function putAway(core: SessionCore): Promise<void> {
  const { transcript } = core;
  await transcript.closeAnswer();
  const { isStored, path } = core.journal().state();
  if (!isStored && path !== undefined) transcript.print([storageEntry(core)]);
  await transcript.closeAnswer();
  await core.journal().close();
  await core.screen.close();
}

/** Work that goes on beside the reducer. */
function createWork() {
  const going = new Set<Promise<void>>();
  return {
    add(work: Promise<void> | void): void {
      if (work === undefined) return;
      going.add(work);
      void work.finally(() => going.delete(work));
    },
    async end(): Promise<void> {
      while (going.size > 0) await Promise.all(going);
    },
  };
}

function isOnDisk(journal: Journal): boolean {
  const { isStored, path } = journal.state();
  return isStored && path !== undefined;
}

/** Starts a session: shows it, and does what its reducer asks for. */
export function createSession(options: SessionOptions): Session {
  const { ports, screen, journal, state } = options;
  const run: Run = { state, journal, controller: new AbortController() };
  let leave: () => void = () => undefined;
  const left = new Promise<void>((resolve) => (leave = resolve));
  const work = createWork();
  const core = createCore(options, run, { dispatch, leave });
  const keepDraft = () => ports.keepDraft(typedContent(run.state.composer));
  const draft = createPause(ports.clock, draftPause, keepDraft);
  const ticker = createTicker(ports.clock, () =>
    dispatch({ type: 'ticked', now: ports.clock.monotonic() }),
  );

  function dispatch(action: Action): void {
    const before = run.state;
    const { state: after, effects } = reduce(before, action);
    run.state = after;
    if (after.composer.text !== before.composer.text) draft.restart();
    ticker.run(after.activity !== undefined);
    screen.show(after);
    for (const effect of effects) work.add(runEffect(core, effect));
  }

  screen.show(state);
  return {
    dispatch,
    state: () => run.state,
    print: (entries) => core.transcript.print(entries),
    isStored: () => isOnDisk(run.journal),
    left,
    async close() {
      core.stop();
      await work.end();
      ticker.run(false);
      draft.cancel();
      keepDraft();
      await putAway(core);
    },
  };
}
