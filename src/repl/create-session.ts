import { createTranscript, type TranscriptFormat } from './transcript/transcript.ts';
import { createDebounce, createTicker } from '../clock.ts';
import type { Journal } from '../conversation/journal/journal.ts';
import { typedContent } from './composer/paste.ts';
import { isEmpty } from './composer/text-buffer.ts';
import { storageEntry } from './export.ts';
import { failureText, type Repl, type Screen, type Session, type Work } from './session.ts';
import type { ReplState, Task } from './state.ts';
import { printing, printReport, quit as endSession, step } from './step.ts';
import { onTaskEnded, onTaskFailed, updated } from './update.ts';

/** Milliseconds after the last change of the draft. */
const draftPause = 500;

/** The task has the types that its function wants: `step.ts` made it. An activity returns entries. */
export function callTask({ run, input }: Task, session: Session, signal?: AbortSignal): unknown {
  const call = run as (session: Session, input: unknown, signal?: AbortSignal) => unknown;
  return call(session, input, signal);
}

/** The draft, or the draft that was stashed last. */
function unsentText({ composer, stash = [] }: ReplState): string {
  return typedContent(isEmpty(composer) ? (stash.at(-1) ?? composer) : composer);
}

type Change = Parameters<Session['update']>[0];

/** Connects the state with its tasks and the screen. */
export function createSession(options: {
  readonly repl: Repl;
  readonly screen: Screen;
  /** Called for every entry, because the theme may change. */
  readonly format: (state: ReplState) => TranscriptFormat;
  readonly journal: Journal;
  readonly state: ReplState;
  /** Calls a task; tests let it fail. */
  readonly call?: typeof callTask;
}): Session {
  const { repl, screen, format, call = callTask } = options;
  const { clock } = repl.context;
  let { state, journal } = options;
  const controllers = new Map<Work, AbortController>();
  let hurry: () => void = () => undefined;
  let quit: () => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    quit = resolve;
    fail = reject;
  });
  const running = new Set<Promise<void>>();
  const allEnded = async () => {
    while (running.size > 0) await Promise.all(running);
  };
  /** An error, thrown or rejected, becomes a change of the state. */
  const perform = async (next: Task) => {
    const signal = next.isActivity === true ? session.begin() : undefined;
    try {
      const result = await call(next, session, signal);
      if (result !== undefined) session.update((current) => onTaskEnded(current, next, result));
    } catch (thrown) {
      // If even a report cannot be shown, nothing can.
      if (next.run === printReport) return fail(thrown);
      const isStopped = signal?.aborted === true;
      const failure = isStopped ? 'stopped' : failureText(thrown, repl.context);
      session.update((current) => onTaskFailed(current, next, failure));
    }
  };
  const track = (work: Promise<void>) => {
    const tracked = work.catch(fail).finally(() => running.delete(tracked));
    running.add(tracked);
  };
  // In line mode the terminal edits the text, and natter does not know it.
  const keepDraft = () => repl.isLineMode || repl.memory.keepDraft(unsentText(state));
  const draftSaving = createDebounce(clock, keepDraft);
  const ticker = createTicker(clock, () => session.update((current) => step(current)));
  const make = (next: Change) => {
    const before = state;
    const { state: after, tasks } = updated({ ...before, now: clock.monotonic() }, next);
    state = after;
    if (after.composer.text !== before.composer.text) draftSaving.restart(draftPause);
    ticker.run((after.activity ?? after.aside) !== undefined);
    screen.show(after);
    if (after.hasQuit) quit();
    // They start in this order, after the change in progress.
    for (const started of tasks) track(Promise.resolve(started).then(perform));
  };
  const waiting: Change[] = [];
  let isChanging = false;
  /** Changes that are asked for during another one are made after it. */
  const change = (asked: Change) => {
    waiting.push(asked);
    if (isChanging) return;
    isChanging = true;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) make(next);
    } finally {
      isChanging = false;
    }
  };
  const transcript = createTranscript(
    () => format(state),
    (text) => screen.write(text),
  );
  const session: Session = {
    ...repl,
    screen,
    transcript,
    state: () => state,
    update: change,
    print: (entries) => track(perform(printing(...entries))),
    journal: () => journal,
    async useJournal(next) {
      const old = journal;
      journal = next;
      await old.close();
    },
    isStored() {
      const { isStored, path } = journal.state();
      return isStored && path !== undefined;
    },
    begin(work = 'activity') {
      const controller = new AbortController();
      controllers.set(work, controller);
      // After quitting, nothing new may run.
      if (state.hasQuit) controller.abort();
      return controller.signal;
    },
    stop: (work = 'activity') => controllers.get(work)?.abort(),
    hurried: () => new Promise<void>((resolve) => (hurry = resolve)),
    hurry: () => hurry(),
    fail: (error) => fail(error),
    ended,
    async close() {
      // Keeps queued prompts from being sent.
      session.update(endSession);
      for (const work of controllers.keys()) session.stop(work);
      await allEnded();
      ticker.run(false);
      draftSaving.cancel();
      keepDraft();
      try {
        await transcript.closeAnswer();
        const { isStored, path } = journal.state();
        if (!isStored && path !== undefined) session.print([storageEntry(session)]);
        await allEnded();
        await journal.close();
      } finally {
        await screen.close();
      }
    },
  };
  screen.show(state);
  return session;
}
