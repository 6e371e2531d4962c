import type { Environment } from '../../environment.ts';
import { titleOf } from '../../conversation/tree.ts';
import type { TerminalModes } from '../../terminal/device/raw-mode.ts';
import {
  notificationSequence,
  progressSequence,
  titleSequence,
  windowModes,
  type WindowProgress,
} from '../../terminal/window/window-sequences.ts';
import {
  windowWays,
  type WindowSettings,
  type WindowWays,
} from '../../terminal/window/window-ways.ts';
import type { ReplState } from '../state/state.ts';
import { durationText } from '../text/status-text.ts';

export interface WindowOptions extends WindowSettings {
  /** Milliseconds. */
  readonly notifyAfter: number;
  readonly environment: Environment;
}

/** Shows the state of a conversation in the title, the tab and notifications of the terminal's window. */
export interface WindowWatch {
  readonly modes: TerminalModes;
  show(state: ReplState): void;
  focus(hasFocus: boolean): void;
  /** Writes everything again, after the modes were set again. */
  refresh(): void;
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

/** For a person who looks at a different window. */
function outcomeOf({ dialog, isQueuePaused }: ReplState, elapsed: number): string {
  if (dialog !== undefined) return 'a question';
  return isQueuePaused
    ? 'no complete answer'
    : `answered in ${durationText(Math.round(elapsed / 1000))}`;
}

interface Channel {
  forget(): void;
  send(sequence: string, key?: string): void;
}

/** Writes a sequence unless it was the last one. */
function createChannel(write: (sequence: string) => void): Channel {
  let last = '';
  return {
    forget: () => void (last = ''),
    send(sequence: string, key = sequence) {
      if (key === last) return;
      last = key;
      write(sequence);
    },
  };
}

class Watch implements WindowWatch {
  readonly modes: TerminalModes;
  readonly #ways: WindowWays;
  readonly #title: Channel;
  readonly #progress: Channel;
  #shown: ReplState | undefined;
  #hasFocus = true;
  /** An answer ended while the window had no focus. */
  #isUnseen = false;
  /** Monotonic milliseconds. */
  #busySince: number | undefined;

  readonly #notifyAfter: number;
  readonly #write: (sequences: string) => void;

  constructor(options: WindowOptions, write: (sequences: string) => void) {
    this.#ways = windowWays(options, options.environment);
    this.modes = windowModes(this.#ways, true);
    this.#notifyAfter = options.notifyAfter;
    this.#write = write;
    this.#title = createChannel(write);
    this.#progress = createChannel(write);
  }

  show(state: ReplState): void {
    this.#notify(state);
    this.#showTitle(state);
    this.#showProgress(state);
    this.#shown = state;
  }

  focus(hasFocus: boolean): void {
    this.#hasFocus = hasFocus;
    if (hasFocus) this.#isUnseen = false;
    if (this.#shown !== undefined) this.show(this.#shown);
  }

  refresh(): void {
    this.#title.forget();
    this.#progress.forget();
    if (this.#shown !== undefined) this.show(this.#shown);
  }

  #showTitle(state: ReplState): void {
    if (!this.#ways.title) return;
    const name = activityName(state) ?? (this.#isUnseen ? 'answered' : undefined);
    const conversation = titleOf(state.conversation);
    const parts = [conversation === '' ? 'natter' : `${conversation} - natter`];
    if (name !== undefined) parts.unshift(name);
    this.#title.send(titleSequence(parts.join(': ')));
  }

  #showProgress(state: ReplState): void {
    const value = progressOf(state);
    if (!this.#ways.progress || (value === 'none' && this.#shown === undefined)) return;
    const turn = value === 'none' ? 0 : Math.floor(state.now / renewal);
    this.#progress.send(progressSequence(value, this.#ways), `${value} ${turn}`);
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
    const outcome = outcomeOf(state, elapsed);
    const text = about === '' ? outcome : `${outcome}: ${about}`;
    const sequence = notificationSequence(text, this.#ways);
    if (sequence !== '') this.#write(sequence);
  }
}

/** `write` gets sequences that change nothing on the screen. */
export const createWindowWatch = (
  options: WindowOptions,
  write: (sequences: string) => void,
): WindowWatch => new Watch(options, write);
