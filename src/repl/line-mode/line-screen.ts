import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { hangText } from '../../terminal/text/wrap.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import { neededKeyOf } from '../composer/keys/key-bindings.ts';
import { questionOf } from './list-question.ts';
import { cancelHint } from '../dialog.ts';
import type { Screen } from '../session.ts';
import type { AnswerActivity, Dialog, ReplState } from '../state.ts';
import { stalledSeconds } from '../status-text.ts';

export interface LineScreenOptions {
  readonly write: (text: string) => void;
  /** Columns of a row, infinite to leave wrapping to the terminal. */
  readonly width: () => number;
  /** Calls `act` after the current output. */
  readonly defer: (act: () => void) => void;
  /** Pauses input while another program uses the terminal. */
  readonly lend: <Result>(use: () => Promise<Result>) => Promise<Result>;
  readonly suspend: () => void;
  readonly close: () => Promise<void>;
  /** Called after a question was written, with the column where it ends. */
  readonly onAsked?: (column: number) => void;
  readonly beforeOutput?: () => void;
  /** The line is a text to search for. */
  readonly isSearching?: () => boolean;
}

/** Milliseconds without an answer before a notice. */
const slowAnswer = 1000;

function dialogText(state: ReplState, dialog: Dialog): string {
  const title = sanitizeLine(dialog.title);
  if (dialog.type === 'entry') return `natter: ${cancelHint(state, dialog)}\n${title}: `;
  const rows = dialog.choices.map(({ label }, index) => sanitizeLine(`${index + 1} ${label}`));
  const choices = rows.map((row) => `  ${row}\n`).join('');
  return `${title}\n${choices}Choose 1 to ${dialog.choices.length}: `;
}

/** Whether the next line is a prompt, not the answer to a question. */
export function expectsPrompt({ dialog, list }: ReplState): boolean {
  return dialog === undefined && list === undefined;
}

/** The question to the user; undefined while natter is busy or has ended. */
function lineQuestion(state: ReplState, isSearching: boolean): string | undefined {
  const { dialog, list, activity, hasQuit } = state;
  if (hasQuit) return undefined;
  if (dialog !== undefined) return dialogText(state, dialog);
  if (list !== undefined) return questionOf(state, list);
  if (activity !== undefined) return undefined;
  return isSearching ? 'Search earlier prompts for: ' : 'You: ';
}

/** A notice about a retry, or about an answer that is slow or stalled, if any. */
function progressOf(
  activity: AnswerActivity,
  { now, keyMap, host }: ReplState,
): string | undefined {
  const interrupt = neededKeyOf('interrupt', keyMap);
  const { retry } = activity;
  if (activity.phase === 'retrying' && retry !== undefined) {
    const left = Math.ceil((retry.at - now) / 1000);
    const when = left <= 0 ? 'now' : `in ${left} s`;
    const send = neededKeyOf('send', keyMap);
    return `${retry.cause}; retry ${retry.retry} of ${retry.retries} ${when}; ${send} retries now, ${interrupt} gives up`;
  }
  const stalled = stalledSeconds(activity, now);
  if (stalled !== undefined)
    return `nothing for ${stalled} s; ${interrupt} stops and keeps the text`;
  const isSlow = activity.phase === 'waiting' && now - activity.since >= slowAnswer;
  return isSlow ? `waiting for ${host ?? activity.model}; ${interrupt} stops` : undefined;
}

function progressKey(activity: AnswerActivity, now: number): string {
  const { phase, retry, since, lastAt } = activity;
  const stall = stalledSeconds(activity, now) === undefined ? '' : lastAt;
  return `${since} ${phase} ${retry?.retry ?? 0} ${stall}`;
}

export interface LineScreen extends Screen {
  /** To be called when a line was entered: the terminal has echoed it with its line end. */
  readonly lineEntered: () => void;
}

interface Output {
  readonly options: LineScreenOptions;
  /** An unanswered question at the end of the output. */
  question: string | undefined;
  /** The output ends inside a line of an answer. */
  isInLine: boolean;
}

function writeText(output: Output, text: string): void {
  const { write, beforeOutput } = output.options;
  beforeOutput?.();
  if (output.question !== undefined) write('\n');
  output.question = undefined;
  if (text !== '') output.isInLine = !text.endsWith('\n');
  write(text);
}

function writeNotice(output: Output, text: string): void {
  const lead = output.isInLine && output.question === undefined ? '\n' : '';
  const shown = hangText(`natter: ${sanitizeLine(text)}`, output.options.width());
  writeText(output, `${lead}${shown}\n`);
}

function ask(output: Output, state: ReplState | undefined): void {
  const { isSearching, width } = output.options;
  const asked = state && lineQuestion(state, isSearching?.() === true);
  if (asked === undefined) return;
  const question = hangText(asked, width());
  if (question === output.question) return;
  writeText(output, question);
  output.question = question;
  output.options.onAsked?.(displayWidth(question.slice(question.lastIndexOf('\n') + 1)));
}

/** Writes each notice once. */
function createProgressNotices(output: Output) {
  let lastProgress: string | undefined;
  let wasArmed = false;
  let wasStalled = false;
  return (state: ReplState): void => {
    const { activity, now, isQuitArmed } = state;
    if (isQuitArmed && !wasArmed) {
      writeNotice(output, `press ${neededKeyOf('interrupt', state.keyMap)} again to quit`);
    }
    wasArmed = isQuitArmed;
    const answer = activity?.type === 'answer' ? activity : undefined;
    const isStalled = answer !== undefined && stalledSeconds(answer, now) !== undefined;
    // Separates the notice about the stall from the rest of the answer.
    if (wasStalled && !isStalled && answer !== undefined) {
      writeNotice(output, `${answer.model} continues`);
    }
    wasStalled = isStalled;
    if (answer === undefined || progressKey(answer, now) === lastProgress) return;
    const progress = progressOf(answer, state);
    if (progress === undefined) return;
    lastProgress = progressKey(answer, now);
    writeNotice(output, progress);
  };
}

/** Shows a session as labelled lines; never changes text that was written. */
export function createLineScreen(options: LineScreenOptions): LineScreen {
  const { defer, lend, suspend, close, beforeOutput } = options;
  const output: Output = { options, question: undefined, isInLine: false };
  const writeProgress = createProgressNotices(output);
  let state: ReplState | undefined;
  const askAgain = () => defer(() => ask(output, state));
  return {
    lend,
    suspend,
    async close() {
      // The shell's prompt, or a last line of natter, starts on a separate row.
      if (output.question !== undefined) writeText(output, '');
      await close();
    },
    lineEntered() {
      beforeOutput?.();
      output.question = undefined;
      output.isInLine = false;
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
    nextUpdate: () => undefined,
    redraw() {
      output.question = undefined;
      askAgain();
    },
    scrollAway: () => undefined,
  };
}
