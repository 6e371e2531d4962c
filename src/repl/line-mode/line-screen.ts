import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import type { Dialog } from '../state/dialog.ts';
import type { Screen } from '../session/screen.ts';
import type { AnswerActivity, ReplState } from '../state/state.ts';
import { activityText, wayOutText } from '../text/wording.ts';

export interface LineScreenOptions {
  readonly write: (text: string) => void;
  /** Calls back when what is being written now is written. */
  readonly afterwards: (act: () => void) => void;
  /** Stops and starts the reading of lines while another program has the terminal. */
  readonly lend: <Result>(use: () => Promise<Result>) => Promise<Result>;
  readonly suspend: () => void;
  readonly close: () => Promise<void>;
  /** A question has been written, which ends in this column: what is typed goes behind it. */
  readonly asked?: (column: number) => void;
  /** Something else is written next. */
  readonly interrupted?: () => void;
}

/** Milliseconds after which it is told that an answer is waited for. */
const patience = 1000;

function dialogText(dialog: Dialog, wayOut: string): string {
  const title = sanitizeLine(dialog.title);
  if (dialog.type === 'entry') return `natter: ${wayOut}\n${title}: `;
  const rows = dialog.choices.map(({ label }, index) => sanitizeLine(`${index + 1} ${label}`));
  const choices = rows.map((row) => `  ${row}\n`).join('');
  return `${title}\n${choices}Choose 1 to ${dialog.choices.length}: `;
}

/** What the person is asked for; undefined while natter is busy or over. */
function questionOf(state: ReplState): string | undefined {
  const { dialog, activity, hasLeft } = state;
  if (hasLeft) return undefined;
  if (dialog !== undefined) return dialogText(dialog, wayOutText(state));
  return activity === undefined ? 'You: ' : undefined;
}

/** What is told of an answer that is waited for, once each; undefined where there is nothing to tell. */
function progressOf(activity: AnswerActivity, now: number): string | undefined {
  if (activity.phase === 'retrying') return activityText(activity, now);
  const isSlow = activity.phase === 'waiting' && now - activity.since >= patience;
  return isSlow ? `waiting for ${activity.model}; Ctrl-C stops` : undefined;
}

function progressKey({ phase, retry, since }: AnswerActivity): string {
  return `${since} ${phase} ${retry?.retry ?? 0}`;
}

export interface LineScreen extends Screen {
  /** The person has answered the question at the end: the terminal has echoed the line and its end. */
  readonly answered: () => void;
}

/** The end of what was written: a question that is not answered, or nothing. */
interface Place {
  readonly options: LineScreenOptions;
  question: string | undefined;
}

function say(place: Place, text: string): void {
  const { write, interrupted } = place.options;
  interrupted?.();
  if (place.question !== undefined) write('\n');
  place.question = undefined;
  write(text);
}

function ask(place: Place, state: ReplState | undefined): void {
  const question = state && questionOf(state);
  if (question === undefined || question === place.question) return;
  say(place, question);
  place.question = question;
  place.options.asked?.(displayWidth(question.slice(question.lastIndexOf('\n') + 1)));
}

/** Tells what changed, once. */
function createTeller(place: Place) {
  let told: string | undefined;
  let wasArmed = false;
  return ({ activity, now, isLeaveArmed }: ReplState): void => {
    if (isLeaveArmed && !wasArmed) say(place, 'natter: Ctrl-C again leaves\n');
    wasArmed = isLeaveArmed;
    if (activity?.type !== 'answer' || progressKey(activity) === told) return;
    const progress = progressOf(activity, now);
    if (progress === undefined) return;
    told = progressKey(activity);
    say(place, `natter: ${sanitizeLine(progress)}\n`);
  };
}

/** Shows a session as plain labelled lines; nothing that is written is ever changed. */
export function createLineScreen(options: LineScreenOptions): LineScreen {
  const { afterwards, lend, suspend, close, interrupted } = options;
  const place: Place = { options, question: undefined };
  const tell = createTeller(place);
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
      say(place, text);
      askAgain();
      return undefined;
    },
    show(next) {
      state = next;
      tell(next);
      askAgain();
    },
    redraw() {
      place.question = undefined;
      askAgain();
    },
    scrollAway: () => undefined,
  };
}
