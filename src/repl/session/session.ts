import { createWakeUp } from '../../clock.ts';
import type { Journal } from '../../conversation/journal/journal.ts';
import type { Action } from '../state/action.ts';
import { typedContent } from '../composer/paste.ts';
import { isEmpty } from '../composer/text-buffer.ts';
import type { Effect } from '../state/effect.ts';
import type { Entry } from '../state/entry.ts';
import { effectRunners, runEffect, type EffectRunners } from '../effects/run-effect.ts';
import { storageEntry } from '../effects/task-effects.ts';
import { type Repl, type Screen, type SessionCore, Stopped } from './session-core.ts';
import { reduce } from '../reducer/reduce.ts';
import type { ReplState } from '../state/state.ts';
import { createDebounce, createTicker } from './timers.ts';
import { createTranscript, type TranscriptFormat } from './transcript.ts';

/** Milliseconds after the last change of the draft. */
const draftPause = 500;

export interface SessionOptions {
  readonly repl: Repl;
  readonly screen: Screen;
  /** Called for every entry, because the theme may change. */
  readonly format: (state: ReplState) => TranscriptFormat;
  readonly journal: Journal;
  readonly state: ReplState;
  readonly runners?: EffectRunners;
}

export interface Session {
  dispatch(action: Action): void;
  state(): ReplState;
  print(entries: readonly Entry[]): void;
  /** Whether the whole conversation is on disk. */
  isStored(): boolean;
  /** Stops all activity, saves everything and closes the screen. */
  close(): Promise<void>;
  /** Resolves when the user quits; rejects with an error that cannot be shown as an entry. */
  readonly ended: Promise<void>;
}

interface SessionData {
  state: ReplState;
  journal: Journal;
  controller: AbortController;
}

function createCore(
  { repl, screen, format }: SessionOptions,
  data: SessionData,
  functions: Pick<SessionCore, 'dispatch' | 'print' | 'quit' | 'fail'>,
): SessionCore {
  const wakeUp = createWakeUp();
  return {
    ...repl,
    screen,
    ...functions,
    transcript: createTranscript(
      () => format(data.state),
      (text) => screen.write(text),
    ),
    state: () => data.state,
    journal: () => data.journal,
    async useJournal(next) {
      const old = data.journal;
      data.journal = next;
      await old.close();
    },
    begin() {
      data.controller = new AbortController();
      // After quitting, nothing new may run.
      if (data.state.hasQuit) data.controller.abort(new Stopped('stopped'));
      return data.controller.signal;
    },
    stop: () => data.controller.abort(new Stopped('stopped')),
    hurried: () => wakeUp.next(),
    retryNow: () => wakeUp.wake(),
  };
}

/** Finishes the output, reports unsaved turns, and closes the journal and the screen. */
async function closeAll(core: SessionCore, running: RunningEffects): Promise<void> {
  const { transcript } = core;
  await running.end();
  try {
    await transcript.closeAnswer();
    const { isStored, path } = core.journal().state();
    if (!isStored && path !== undefined) core.print([storageEntry(core)]);
    await transcript.closeAnswer();
    await running.end();
    await core.journal().close();
  } finally {
    await core.screen.close();
  }
}

interface RunningEffects {
  /** `effect` never rejects. */
  add(effect: Promise<void>): void;
  /** Resolves when all have ended, including those added meanwhile. */
  end(): Promise<void>;
}

function createRunningEffects(): RunningEffects {
  const running = new Set<Promise<void>>();
  return {
    add(effect) {
      running.add(effect);
      void effect.finally(() => running.delete(effect));
    },
    async end() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** Handles items one by one: those added during handling are queued. */
function createQueue<Item>(handle: (item: Item) => void): (item: Item) => void {
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
  let quit: () => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    quit = resolve;
    fail = reject;
  });
  return { ended, quit, fail };
}

function isOnDisk(journal: Journal): boolean {
  const { isStored, path } = journal.state();
  return isStored && path !== undefined;
}

/** The draft, or the draft that was stashed last. */
function unsentText({ composer, stash = [] }: ReplState): string {
  return typedContent(isEmpty(composer) ? (stash.at(-1) ?? composer) : composer);
}

/** Connects the reducer with its effects and the screen. */
export function createSession(options: SessionOptions): Session {
  const { repl, screen, journal, state, runners = effectRunners } = options;
  const data: SessionData = { state, journal, controller: new AbortController() };
  const running = createRunningEffects();
  const { ended, quit, fail } = createEnd();
  const dispatch = createQueue<Action>(handle);
  const perform = (effect: Effect) => running.add(runEffect(core, effect, runners));
  const print = (entries: readonly Entry[]) => perform({ type: 'print', entries });
  const core = createCore(options, data, { dispatch, print, quit, fail });
  const keepDraft = () => perform({ type: 'keep-draft', text: unsentText(data.state) });
  const draftSaving = createDebounce(repl.context.clock, draftPause, keepDraft);
  const tick = () => dispatch({ type: 'ticked', now: repl.context.clock.monotonic() });
  const ticker = createTicker(repl.context.clock, tick);

  function handle(action: Action): void {
    const before = data.state;
    const { state: after, effects } = reduce(before, action);
    data.state = after;
    if (after.composer.text !== before.composer.text) draftSaving.restart();
    ticker.run(after.activity !== undefined);
    screen.show(after);
    // They start in this order, after the current action.
    for (const effect of effects) running.add(Promise.resolve(effect).then(perform));
  }

  screen.show(state);
  return {
    dispatch,
    state: () => data.state,
    print,
    isStored: () => isOnDisk(data.journal),
    ended,
    async close() {
      // Keeps queued prompts from being sent.
      dispatch({ type: 'input-ended' });
      core.stop();
      await running.end();
      ticker.run(false);
      draftSaving.cancel();
      keepDraft();
      await closeAll(core, running);
    },
  };
}
