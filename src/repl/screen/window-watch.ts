import { titleOf } from '../../conversation/tree.ts';
import { durationText } from '../../output/figures.ts';
import type { Environment } from '../../environment.ts';
import {
  createTerminalWindow,
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

/**
 * Shows the state of a conversation in the title, the tab and notifications of the terminal's window.
 * @param write gets sequences that change nothing on the screen
 */
export function watchWindow(options: WindowOptions, write: (sequences: string) => void) {
  const window = createTerminalWindow(windowWays(options, options.environment), write);
  let shown: ReplState | undefined;
  let hasFocus = true;
  /** An answer ended while the window had no focus. */
  let isUnseen = false;
  /** Monotonic milliseconds. */
  let busySince: number | undefined;
  const notify = (state: ReplState) => {
    const { activity, now, conversation } = state;
    if (activity?.type === 'answer') busySince ??= activity.since;
    if (activity !== undefined || busySince === undefined) return;
    const elapsed = now - busySince;
    busySince = undefined;
    if (hasFocus || elapsed < options.notifyAfter || state.hasQuit) return;
    isUnseen = true;
    const about = titleOf(conversation);
    const answered = `answered in ${durationText(Math.round(elapsed / 1000))}`;
    const ended = state.isQueuePaused ? 'no complete answer' : answered;
    // The person looks at a different window.
    const outcome = state.dialog === undefined ? ended : 'a question';
    window.notify(about === '' ? outcome : `${outcome}: ${about}`);
  };
  const show = (state: ReplState) => {
    notify(state);
    const name = activityName(state) ?? (isUnseen ? 'answered' : undefined);
    const conversation = titleOf(state.conversation);
    const title = conversation === '' ? 'natter' : `${conversation} - natter`;
    const turn = Math.floor(state.now / renewal);
    window.show(name === undefined ? title : `${name}: ${title}`, progressOf(state), turn);
    shown = state;
  };
  return {
    modes: window.modes,
    show,
    focus(isFocused: boolean): void {
      hasFocus = isFocused;
      if (hasFocus) isUnseen = false;
      if (shown !== undefined) show(shown);
    },
    /** Writes everything again, after the modes were set again. */
    refresh(): void {
      window.refresh();
      if (shown !== undefined) show(shown);
    },
  };
}
