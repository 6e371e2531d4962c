import { titleOf } from '../../conversation/tree.ts';
import { durationText } from '../../output/figures.ts';
import type { Environment } from '../../environment.ts';
import {
  TerminalWindow,
  type WindowProgress,
  type WindowSettings,
  windowWays,
} from '../../terminal/window.ts';
import type { ReplState } from '../state.ts';

export interface WindowOptions extends WindowSettings {
  /** Milliseconds. */
  readonly notifyAfter: number;
  readonly environment: Environment;
}

function activityName({ activity, dialog }: ReplState): string | undefined {
  if (dialog !== undefined) return 'question';
  if (activity === undefined) return undefined;
  if (activity.type === 'task') return 'working';
  return activity.phase === 'retrying' ? 'retrying' : 'answering';
}

function progressOf({ activity }: ReplState): WindowProgress {
  if (activity?.type !== 'answer') return 'none';
  return activity.phase === 'retrying' ? 'paused' : 'busy';
}

/** Milliseconds after which a progress is written again: some terminals remove one that is not renewed. */
const renewal = 5000;

/** Shows the state of a conversation in the title, the tab and notifications of the terminal's window. */
export class WindowWatch {
  readonly window: TerminalWindow;
  readonly #notifyAfter: number;
  #shown: ReplState | undefined;
  #hasFocus = true;
  /** An answer ended while the window had no focus. */
  #isUnseen = false;
  /** Monotonic milliseconds. */
  #busySince: number | undefined;

  /** `write` gets sequences that change nothing on the screen. */
  constructor(options: WindowOptions, write: (sequences: string) => void) {
    this.window = new TerminalWindow(windowWays(options, options.environment), write);
    this.#notifyAfter = options.notifyAfter;
  }

  show(state: ReplState): void {
    this.#notify(state);
    const name = activityName(state) ?? (this.#isUnseen ? 'answered' : undefined);
    const conversation = titleOf(state.conversation);
    const title = conversation === '' ? 'natter' : `${conversation} - natter`;
    const turn = Math.floor(state.now / renewal);
    this.window.show(name === undefined ? title : `${name}: ${title}`, progressOf(state), turn);
    this.#shown = state;
  }

  focus(hasFocus: boolean): void {
    this.#hasFocus = hasFocus;
    if (hasFocus) this.#isUnseen = false;
    if (this.#shown !== undefined) this.show(this.#shown);
  }

  /** Writes everything again, after the modes were set again. */
  refresh(): void {
    this.window.refresh();
    if (this.#shown !== undefined) this.show(this.#shown);
  }

  #notify(state: ReplState): void {
    const { activity, now, conversation } = state;
    if (activity?.type === 'answer') this.#busySince ??= activity.since;
    if (activity !== undefined || this.#busySince === undefined) return;
    const elapsed = now - this.#busySince;
    this.#busySince = undefined;
    if (this.#hasFocus || elapsed < this.#notifyAfter || state.hasQuit) return;
    this.#isUnseen = true;
    const about = titleOf(conversation);
    const answered = `answered in ${durationText(Math.round(elapsed / 1000))}`;
    const ended = state.isQueuePaused ? 'no complete answer' : answered;
    // The person looks at a different window.
    const outcome = state.dialog === undefined ? ended : 'a question';
    this.window.notify(about === '' ? outcome : `${outcome}: ${about}`);
  }
}
