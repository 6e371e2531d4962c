import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { hangText } from '../../terminal/text/rows.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import { neededKeyOf } from '../composer/keys/key-bindings.ts';
import { questionOf } from '../conversation-list/answer-list.ts';
import { cancelHint } from '../dialog.ts';
import type { Screen } from '../session.ts';
import type { AnswerActivity, Dialog, ReplState } from '../state.ts';
import { stalledSeconds } from '../status-text.ts';
import type { LineInput } from './line-input.ts';

export interface LineScreenOptions {
  readonly write: (text: string) => void;
  /** Columns of a row, infinite to leave wrapping to the terminal. */
  readonly width: () => number;
  /** Calls `act` after the current output. */
  readonly defer: (act: () => void) => void;
  /** Stops the job until the shell continues it. */
  readonly suspend: (onContinue: () => void) => void;
  /** What reads the answers to the questions; undefined before it starts. */
  readonly input: () => LineInput | undefined;
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

const isSecret = ({ dialog }: ReplState) => dialog?.type === 'entry' && dialog.isHidden === true;

/** Shows a session as labelled lines; never changes text that was written. */
export class LineScreen implements Screen {
  readonly #options: LineScreenOptions;
  #state: ReplState | undefined;
  /** An unanswered question at the end of the output. */
  #question: string | undefined;
  /** The output ends inside a line of an answer. */
  #isInLine = false;
  #lastProgress: string | undefined;
  #wasArmed = false;
  #wasStalled = false;

  constructor(options: LineScreenOptions) {
    this.#options = options;
  }

  write(text: string): undefined {
    this.#writeText(text);
    this.#askLater();
  }

  show(state: ReplState): void {
    this.#state = state;
    this.#writeProgress(state);
    this.#askLater();
    this.#options.input()?.adjust();
  }

  nextUpdate(): undefined {}

  redraw(): void {
    this.#question = undefined;
    this.#askLater();
  }

  scrollAway(): void {}

  async lend<Result>(use: () => Promise<Result>): Promise<Result> {
    this.#options.input()?.stop();
    try {
      return await use();
    } finally {
      this.#options.input()?.start();
    }
  }

  suspend(): void {
    const { input, suspend } = this.#options;
    input()?.stop();
    suspend(() => {
      input()?.start();
      this.redraw();
    });
  }

  async close(): Promise<void> {
    // The shell's prompt, or a last line of natter, starts on a separate row.
    if (this.#question !== undefined) this.#writeText('');
    this.#options.input()?.stop();
  }

  /** To be called when a line was entered: the terminal has echoed it with its line end. */
  lineEntered(): void {
    this.#options.input()?.hideTyped();
    this.#question = undefined;
    this.#isInLine = false;
  }

  /** Whether typed text must not be shown. */
  isSecret(): boolean {
    return this.#state !== undefined && isSecret(this.#state);
  }

  #writeText(text: string): void {
    const { write, input } = this.#options;
    input()?.hideTyped();
    if (this.#question !== undefined) write('\n');
    this.#question = undefined;
    if (text !== '') this.#isInLine = !text.endsWith('\n');
    write(text);
  }

  #writeNotice(text: string): void {
    const lead = this.#isInLine && this.#question === undefined ? '\n' : '';
    const shown = hangText(`natter: ${sanitizeLine(text)}`, this.#options.width());
    this.#writeText(`${lead}${shown}\n`);
  }

  #askLater(): void {
    this.#options.defer(() => this.#ask());
  }

  #ask(): void {
    const input = this.#options.input();
    const asked = this.#state && lineQuestion(this.#state, input?.isSearching() === true);
    if (asked === undefined) return;
    const question = hangText(asked, this.#options.width());
    if (question === this.#question) return;
    this.#writeText(question);
    this.#question = question;
    const column = displayWidth(question.slice(question.lastIndexOf('\n') + 1));
    if (!this.isSecret()) input?.showTyped(column);
  }

  /** Writes each notice once. */
  #writeProgress(state: ReplState): void {
    const { activity, now, isQuitArmed } = state;
    if (isQuitArmed && !this.#wasArmed) {
      this.#writeNotice(`press ${neededKeyOf('interrupt', state.keyMap)} again to quit`);
    }
    this.#wasArmed = isQuitArmed;
    const answer = activity?.type === 'answer' ? activity : undefined;
    const isStalled = answer !== undefined && stalledSeconds(answer, now) !== undefined;
    // Separates the notice about the stall from the rest of the answer.
    if (this.#wasStalled && !isStalled && answer !== undefined) {
      this.#writeNotice(`${answer.model} continues`);
    }
    this.#wasStalled = isStalled;
    if (answer === undefined || progressKey(answer, now) === this.#lastProgress) return;
    const progress = progressOf(answer, state);
    if (progress === undefined) return;
    this.#lastProgress = progressKey(answer, now);
    this.#writeNotice(progress);
  }
}
