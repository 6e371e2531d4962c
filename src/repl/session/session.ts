import type { Journal } from '../../conversation/journal/journal.ts';
import type { Action } from '../state/action.ts';
import { typedContent } from '../editing/keys/paste.ts';
import type { Effect } from '../state/effect.ts';
import type { Entry } from '../state/entry.ts';
import { effectRunners, runEffect, type EffectRunners } from '../effects/run-effect.ts';
import { storageEntry } from '../effects/task-effects.ts';
import type { SessionPorts } from './ports.ts';
import { reduce } from '../reducer/reduce.ts';
import type { Screen } from './screen.ts';
import { Stopped, type SessionCore } from './session-core.ts';
import type { ReplState } from '../state/state.ts';
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
  /** What each effect does. */
  readonly runners?: EffectRunners;
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
  /** Resolves when the person has left; rejects with what no entry could show. */
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
      // Who has left waits for nothing more.
      if (run.state.hasLeft) run.controller.abort(new Stopped('stopped'));
      return run.controller.signal;
    },
    stop: () => run.controller.abort(new Stopped('stopped')),
  };
}

/** Writes what is not written yet, the journal's state where it matters, and lets go of everything. */
async function putAway(core: SessionCore, work: Work): Promise<void> {
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

/** Work that goes on beside the reducer; none of it rejects. */
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

/** Handles one thing after the other: what is given while one is handled waits its turn. */
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

/** When the person has left, or the session cannot go on. */
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

/** Starts a session: shows it, and does what its reducer asks for. */
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
    // They begin in this order once the action is dealt with.
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
      // What waits is not begun.
      dispatch({ type: 'input-ended' });
      core.stop();
      await work.end();
      ticker.run(false);
      draft.cancel();
      keepDraft();
      await putAway(core, work);
    },
  };
}
