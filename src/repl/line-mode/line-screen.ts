import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import type { Dialog } from '../state/dialog.ts';
import type { Screen } from '../session/ports.ts';
import type { AnswerActivity, ReplState } from '../state/state.ts';
import { activityText, cancelHintText } from '../text/status-text.ts';

export interface LineScreenOptions {
  readonly write: (text: string) => void;
  /** Calls `act` after the current output. */
  readonly defer: (act: () => void) => void;
  /** Pauses input while another program uses the terminal. */
  readonly lend: <Result>(use: () => Promise<Result>) => Promise<Result>;
  readonly suspend: () => void;
  readonly close: () => Promise<void>;
  /** Called after a question was written, with the column where it ends. */
  readonly onAsked?: (column: number) => void;
  readonly beforeOutput?: () => void;
}

/** Milliseconds without an answer before a notice. */
const slowAnswer = 1000;

function dialogText(dialog: Dialog, cancelHint: string): string {
  const title = sanitizeLine(dialog.title);
  if (dialog.type === 'entry') return `natter: ${cancelHint}\n${title}: `;
  const rows = dialog.choices.map(({ label }, index) => sanitizeLine(`${index + 1} ${label}`));
  const choices = rows.map((row) => `  ${row}\n`).join('');
  return `${title}\n${choices}Choose 1 to ${dialog.choices.length}: `;
}

/** The question to the user; undefined while natter is busy or has ended. */
function questionOf(state: ReplState): string | undefined {
  const { dialog, activity, hasQuit } = state;
  if (hasQuit) return undefined;
  if (dialog !== undefined) return dialogText(dialog, cancelHintText(state));
  return activity === undefined ? 'You: ' : undefined;
}

/** A notice about a retry or a slow answer, if any. */
function progressOf(activity: AnswerActivity, now: number): string | undefined {
  if (activity.phase === 'retrying') return activityText(activity, now);
  const isSlow = activity.phase === 'waiting' && now - activity.since >= slowAnswer;
  return isSlow ? `waiting for ${activity.model}; Ctrl-C stops` : undefined;
}

function progressKey({ phase, retry, since }: AnswerActivity): string {
  return `${since} ${phase} ${retry?.retry ?? 0}`;
}

export interface LineScreen extends Screen {
  /** To be called when a line was entered: the terminal has echoed it with its line end. */
  readonly lineEntered: () => void;
}

interface Output {
  readonly options: LineScreenOptions;
  /** An unanswered question at the end of the output. */
  question: string | undefined;
}

function writeText(output: Output, text: string): void {
  const { write, beforeOutput } = output.options;
  beforeOutput?.();
  if (output.question !== undefined) write('\n');
  output.question = undefined;
  write(text);
}

function ask(output: Output, state: ReplState | undefined): void {
  const question = state && questionOf(state);
  if (question === undefined || question === output.question) return;
  writeText(output, question);
  output.question = question;
  output.options.onAsked?.(displayWidth(question.slice(question.lastIndexOf('\n') + 1)));
}

/** Writes each notice once. */
function createProgressNotices(output: Output) {
  let lastProgress: string | undefined;
  let wasArmed = false;
  return ({ activity, now, isQuitArmed }: ReplState): void => {
    if (isQuitArmed && !wasArmed) writeText(output, 'natter: press Ctrl-C again to quit\n');
    wasArmed = isQuitArmed;
    if (activity?.type !== 'answer' || progressKey(activity) === lastProgress) return;
    const progress = progressOf(activity, now);
    if (progress === undefined) return;
    lastProgress = progressKey(activity);
    writeText(output, `natter: ${sanitizeLine(progress)}\n`);
  };
}

/** Shows a session as labelled lines; never changes text that was written. */
export function createLineScreen(options: LineScreenOptions): LineScreen {
  const { defer, lend, suspend, close, beforeOutput } = options;
  const output: Output = { options, question: undefined };
  const writeProgress = createProgressNotices(output);
  let state: ReplState | undefined;
  const askAgain = () => defer(() => ask(output, state));
  return {
    lend,
    suspend,
    close,
    lineEntered() {
      beforeOutput?.();
      output.question = undefined;
    },
    write(text) {
      writeText(output, text);
      askAgain();
      return undefined;
    },
    show(next) {
      state = next;
      writeProgress(next);
      askAgain();
    },
    redraw() {
      output.question = undefined;
      askAgain();
    },
    scrollAway: () => undefined,
  };
}
