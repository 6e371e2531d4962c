import type { Journal } from '../../conversation/journal/journal.ts';
import type { Action } from '../state/action.ts';
import { typedContent } from '../editing/paste.ts';
import type { Effect } from '../state/effect.ts';
import type { Entry } from '../state/entry.ts';
import { effectRunners, runEffect, type EffectRunners } from '../effects/run-effect.ts';
import { storageEntry } from '../effects/task-effects.ts';
import type { Screen, SessionPorts } from './ports.ts';
import { reduce } from '../reducer/reduce.ts';

import { Stopped, type SessionCore } from './session-core.ts';
import type { ReplState } from '../state/state.ts';
import { createPause, createTicker } from './timers.ts';
import { createTranscript, type TranscriptFormat } from './transcript.ts';

/** Milliseconds without a change after which the draft is saved. */
const draftPause = 500;

export interface SessionOptions {
  readonly ports: SessionPorts;
  readonly screen: Screen;
  /** Called for every piece, because the theme may change. */
  readonly format: (state: ReplState) => TranscriptFormat;
  readonly journal: Journal;
  readonly state: ReplState;
  readonly runners?: EffectRunners;
}

export interface Session {
  dispatch(action: Action): void;
  state(): ReplState;
  print(entries: readonly Entry[]): void;
  /** The whole conversation is on disk. */
  isStored(): boolean;
  /** Stops all activity, saves everything and closes the screen. */
  close(): Promise<void>;
  /** Resolves when the user leaves; rejects with an error that cannot be shown as an entry. */
  readonly left: Promise<void>;
}

interface Run {
  state: ReplState;
  journal: Journal;
  /** Of the current answer or task. */
  controller: AbortController;
}

function createCore(
  { ports, screen, format }: SessionOptions,
  run: Run,
  given: Pick<SessionCore, 'dispatch' | 'print' | 'leave' | 'fail'>,
): SessionCore {
  return {
    ports,
    screen,
    ...given,
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
      // After leaving, nothing new may run.
      if (run.state.hasLeft) run.controller.abort(new Stopped('stopped'));
      return run.controller.signal;
    },
    stop: () => run.controller.abort(new Stopped('stopped')),
  };
}

/** Finishes the output, reports unsaved turns, and closes the journal and the screen. */
async function closeAll(core: SessionCore, work: Work): Promise<void> {
  const { transcript } = core;
  await work.end();
  try {
    await transcript.closeAnswer();
    const { isStored, path } = core.journal().state();
    if (!isStored && path !== undefined) core.print([storageEntry(core)]);
    await transcript.closeAnswer();
    await work.end();
    await core.journal().close();
  } finally {
    await core.screen.close();
  }
}

/** Effects in progress; none of them rejects. */
interface Work {
  add(work: Promise<void>): void;
  end(): Promise<void>;
}

function createWork(): Work {
  const going = new Set<Promise<void>>();
  return {
    add(work: Promise<void>): void {
      going.add(work);
      void work.finally(() => going.delete(work));
    },
    async end(): Promise<void> {
      while (going.size > 0) await Promise.all(going);
    },
  };
}

/** Handles items one by one; an item added during handling is queued. */
function createInbox<Item>(handle: (item: Item) => void): (item: Item) => void {
  const waiting: Item[] = [];
  let isHandling = false;
  return (item) => {
    waiting.push(item);
    if (isHandling) return;
    isHandling = true;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) handle(next);
    } finally {
      isHandling = false;
    }
  };
}

function createEnd() {
  let leave: () => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const left = new Promise<void>((resolve, reject) => {
    leave = resolve;
    fail = reject;
  });
  return { left, leave, fail };
}

function isOnDisk(journal: Journal): boolean {
  const { isStored, path } = journal.state();
  return isStored && path !== undefined;
}

/** Starts a session: connects the reducer with its effects and the screen. */
export function createSession(options: SessionOptions): Session {
  const { ports, screen, journal, state, runners = effectRunners } = options;
  const run: Run = { state, journal, controller: new AbortController() };
  const work = createWork();
  const { left, leave, fail } = createEnd();
  const dispatch = createInbox<Action>(handle);
  const perform = (effect: Effect) => work.add(runEffect(core, effect, runners));
  const print = (entries: readonly Entry[]) => perform({ type: 'print', entries });
  const core = createCore(options, run, { dispatch, print, leave, fail });
  const keepDraft = () => perform({ type: 'keep-draft', text: typedContent(run.state.composer) });
  const draft = createPause(ports.clock, draftPause, keepDraft);
  const tick = () => dispatch({ type: 'ticked', now: ports.clock.monotonic() });
  const ticker = createTicker(ports.clock, tick);

  function handle(action: Action): void {
    const before = run.state;
    const { state: after, effects } = reduce(before, action);
    run.state = after;
    if (after.composer.text !== before.composer.text) draft.restart();
    ticker.run(after.activity !== undefined);
    screen.show(after);
    // They start in this order, after the current action.
    for (const effect of effects) work.add(Promise.resolve(effect).then(perform));
  }

  screen.show(state);
  return {
    dispatch,
    state: () => run.state,
    print,
    isStored: () => isOnDisk(run.journal),
    left,
    async close() {
      // Keeps queued prompts from being sent.
      dispatch({ type: 'input-ended' });
      core.stop();
      await work.end();
      ticker.run(false);
      draft.cancel();
      keepDraft();
      await closeAll(core, work);
    },
  };
}
