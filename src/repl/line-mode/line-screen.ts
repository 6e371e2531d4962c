import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import type { Dialog } from '../state/dialog.ts';
import type { Screen } from '../session/ports.ts';
import type { AnswerActivity, ReplState } from '../state/state.ts';
import { activityText, cancelHintText } from '../text/status-text.ts';

export interface LineScreenOptions {
  readonly write: (text: string) => void;
  /** Calls back after the current output. */
  readonly afterwards: (act: () => void) => void;
  /** Pauses input while another program uses the terminal. */
  readonly lend: <Result>(use: () => Promise<Result>) => Promise<Result>;
  readonly suspend: () => void;
  readonly close: () => Promise<void>;
  /** Called after a question was written, with the column where it ends. */
  readonly asked?: (column: number) => void;
  /** Called before other output. */
  readonly interrupted?: () => void;
}

/** Milliseconds of waiting before a notice about it. */
const slowAnswer = 1000;

function dialogText(dialog: Dialog, cancelHint: string): string {
  const title = sanitizeLine(dialog.title);
  if (dialog.type === 'entry') return `natter: ${cancelHint}\n${title}: `;
  const rows = dialog.choices.map(({ label }, index) => sanitizeLine(`${index + 1} ${label}`));
  const choices = rows.map((row) => `  ${row}\n`).join('');
  return `${title}\n${choices}Choose 1 to ${dialog.choices.length}: `;
}

/** The question to show; undefined while natter is busy or has ended. */
function questionOf(state: ReplState): string | undefined {
  const { dialog, activity, hasLeft } = state;
  if (hasLeft) return undefined;
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
  /** Called when a line was entered: the terminal has echoed it with its line end. */
  readonly answered: () => void;
}

/** The end of the output: an unanswered question, or nothing. */
interface Place {
  readonly options: LineScreenOptions;
  question: string | undefined;
}

function writeText(place: Place, text: string): void {
  const { write, interrupted } = place.options;
  interrupted?.();
  if (place.question !== undefined) write('\n');
  place.question = undefined;
  write(text);
}

function ask(place: Place, state: ReplState | undefined): void {
  const question = state && questionOf(state);
  if (question === undefined || question === place.question) return;
  writeText(place, question);
  place.question = question;
  place.options.asked?.(displayWidth(question.slice(question.lastIndexOf('\n') + 1)));
}

/** Writes each notice once. */
function createProgressNotices(place: Place) {
  let lastProgress: string | undefined;
  let wasArmed = false;
  return ({ activity, now, isLeaveArmed }: ReplState): void => {
    if (isLeaveArmed && !wasArmed) writeText(place, 'natter: press Ctrl-C again to quit\n');
    wasArmed = isLeaveArmed;
    if (activity?.type !== 'answer' || progressKey(activity) === lastProgress) return;
    const progress = progressOf(activity, now);
    if (progress === undefined) return;
    lastProgress = progressKey(activity);
    writeText(place, `natter: ${sanitizeLine(progress)}\n`);
  };
}

/** Shows a session as plain labelled lines; written text never changes. */
export function createLineScreen(options: LineScreenOptions): LineScreen {
  const { afterwards, lend, suspend, close, interrupted } = options;
  const place: Place = { options, question: undefined };
  const writeProgress = createProgressNotices(place);
  let state: ReplState | undefined;
  const askAgain = () => afterwards(() => ask(place, state));
  return {
    lend,
    suspend,
    close,
    answered() {
      interrupted?.();
      place.question = undefined;
    },
    write(text) {
      writeText(place, text);
      askAgain();
      return undefined;
    },
    show(next) {
      state = next;
      writeProgress(next);
      askAgain();
    },
    redraw() {
      place.question = undefined;
      askAgain();
    },
    scrollAway: () => undefined,
  };
}
