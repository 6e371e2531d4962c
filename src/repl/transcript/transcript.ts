import { createWordRows } from '../../terminal/text/rows.ts';
import { createSanitizer, type Sanitizer } from '../../terminal/safety/sanitizer.ts';
import type { MarkdownStream } from '../../terminal/markdown/block-driver.ts';
import type { PromptTime } from '../../conversation/prompt-time.ts';
import { displayWidth } from '../../terminal/text/width.ts';

type ShortEntry = Exclude<Entry, { readonly type: 'answer' | 'reasoning' }>;

/** `isReply`: directly after the command that it replies to. */
type EntryFormats = {
  readonly [Type in ShortEntry['type']]: (
    entry: Extract<Entry, { readonly type: Type }>,
    isReply?: boolean,
  ) => string;
};

/** Formats the entries of a transcript, which are not sanitized. Results end with a line end, or are empty. */
export interface TranscriptFormat extends EntryFormats {
  readonly answerHead: (model: string | undefined) => string;
  readonly reasoningHead: string;
  reasoning(text: string): string;
  /** Columns of its rows; infinite if the terminal wraps them. */
  readonly reasoningWidth: () => number;
  /** `column`: where the text begins. */
  readonly answerText: (column: number) => MarkdownStream;
  /** A mark for the terminal (OSC 133): an answer begins, or ended, or failed. Empty without marks. */
  mark(name: 'C' | 'D;0' | 'D;1'): string;
  /** Written between entries. */
  readonly separator: string;
}

type Group = 'conversation' | 'command' | 'notice' | 'failure';

const groups: Readonly<Record<ShortEntry['type'], Group>> = {
  prompt: 'conversation',
  aside: 'conversation',
  command: 'command',
  closing: 'notice',
  output: 'notice',
  notice: 'notice',
  failure: 'failure',
};

/** Whether there is no separator before a group: the output of a command, and further notices. */
const isAttached = (last: Group | undefined, group: Group) =>
  last === 'command'
    ? group !== 'conversation' && group !== last
    : last === 'notice' && group === last;

interface OpenText {
  /** Else it is the reasoning before one. */
  readonly isAnswer: boolean;
  readonly sanitizer: Sanitizer;
  readonly formatter: MarkdownStream;
  /** Its last character so far. */
  last: string;
}

/** Writes the conversation in order; entries printed during an answer are queued until it is closed. */
export class Transcript {
  readonly #format: () => TranscriptFormat;
  readonly #write: (text: string) => Promise<void> | undefined;
  #open: OpenText | undefined;
  /** The mark of the answer's begin is written. */
  #isMarked = false;
  /** The mark of the last answer's end, not written yet. */
  #endMark = '';
  #lastGroup: Group | undefined;
  #queued: readonly Entry[] = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor(format: () => TranscriptFormat, write: (text: string) => Promise<void> | undefined) {
    this.#format = format;
    this.#write = write;
  }

  print(entries: readonly Entry[]): Promise<void> {
    return this.#inOrder(async () => {
      if (this.#open?.isAnswer === true) this.#queued = [...this.#queued, ...entries];
      else await this.#printAll(entries);
    });
  }

  reasoningText(text: string): Promise<void> {
    return this.#inOrder(() => this.#addReasoning(text));
  }

  openAnswer(model: string): Promise<void> {
    return this.#inOrder(() => this.#openAnswer(model));
  }

  /** Resolves when the decided part of the text is written. */
  answerText(text: string): Promise<void> {
    return this.#inOrder(() => this.#add(text));
  }

  undecided(): string {
    return this.#open?.formatter.undecided() ?? '';
  }

  /** Writes the rest of the answer, then the queued entries. @returns the number of removed characters */
  closeAnswer(isFailed = false): Promise<number> {
    return this.#inOrder(async () => {
      const removed = await this.#close();
      this.#markEnd(isFailed);
      const entries = this.#queued;
      this.#queued = [];
      await this.#printAll(entries);
      return removed;
    });
  }

  #inOrder<Result>(act: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(act);
    // Only the caller gets the failure; later calls still run.
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #addReasoning(text: string): Promise<void> {
    const { reasoningHead: head, reasoningWidth } = this.#format();
    if (this.#open === undefined)
      await this.#begin(head, (column) => {
        const rows = createWordRows(reasoningWidth, column);
        const write = (added: string) => rows.write(added);
        return { write, end: () => rows.write('', true), undecided: () => '' };
      });
    await this.#add(text);
  }

  #openAnswer(model: string | undefined): Promise<void> {
    const { answerHead, answerText } = this.#format();
    return this.#begin(answerHead(model), answerText, true);
  }

  /** Begins a text after a head. @param open gets the column after the head */
  async #begin(head: string, open: TranscriptFormat['answerText'], isAnswer = false) {
    await this.#separate('conversation', true);
    await this.#write(head);
    const formatter = open(displayWidth(head));
    this.#open = { isAnswer, sanitizer: createSanitizer(), formatter, last: '\n' };
  }

  async #add(text: string): Promise<void> {
    const open = this.#open;
    if (open !== undefined)
      await this.#show(open, open.formatter.write(open.sanitizer.write(text)));
  }

  async #show(open: OpenText, formatted: string): Promise<void> {
    if (formatted === '') return;
    open.last = formatted.at(-1) ?? '\n';
    await this.#write(open.isAnswer ? formatted : this.#format().reasoning(formatted));
  }

  /** Ends the text that is being written. @returns the number of characters removed from an answer */
  async #close(): Promise<number> {
    const open = this.#open;
    if (open === undefined) return 0;
    const { sanitizer, formatter, isAnswer } = open;
    // Closed even if writing its end fails, so that later entries are still printed.
    this.#open = undefined;
    await this.#show(open, formatter.write(sanitizer.end()) + formatter.end());
    if (open.last !== '\n') await this.#write('\n');
    return isAnswer ? sanitizer.removed : 0;
  }

  #markEnd(isFailed: boolean): void {
    if (this.#isMarked || isFailed) this.#endMark = this.#format().mark(isFailed ? 'D;1' : 'D;0');
    this.#isMarked = false;
  }

  async #separate(group: Group, isAnswer = false): Promise<void> {
    await this.#close();
    const last = this.#lastGroup;
    this.#lastGroup = group;
    if (isAttached(last, group)) return;
    const format = this.#format();
    // Before a line end, because the live region may write the row after it again.
    const marks = this.#endMark + (isAnswer && !this.#isMarked ? format.mark('C') : '');
    this.#endMark = '';
    this.#isMarked ||= isAnswer;
    await this.#write(marks + format.separator);
  }

  async #printAll(entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) {
      if (entry.type === 'answer') {
        await this.#openAnswer(entry.model);
        await this.#add(entry.text);
        await this.#close();
        this.#markEnd(false);
      } else if (entry.type === 'reasoning') {
        await this.#addReasoning(entry.text);
      } else {
        const format = this.#format()[entry.type] as (entry: Entry, isReply: boolean) => string;
        const text = format(entry, this.#lastGroup === 'command');
        if (text === '') continue;
        await this.#separate(groups[entry.type]);
        await this.#write(text);
      }
    }
  }
}

/** The line below an answer. */
export interface Closing {
  readonly type: 'closing';
  /** Model, time and tokens, as far as they are known. */
  readonly facts: readonly string[];
  /** `version 2/3`; undefined for the only one. */
  readonly version: string | undefined;
  /** ` (1 by origin, 2 by nextgen)`, for line mode; empty if one model wrote all versions. */
  readonly models: string;
  /** When the prompt was sent, if that is shown. */
  readonly time?: PromptTime | undefined;
}

/** A finished piece of the transcript. Texts are untrusted: the transcript sanitizes them. */
export type Entry =
  /** `needsEcho`: queued, generated or shown again, so the terminal has not echoed it here. */
  | { readonly type: 'prompt'; readonly text: string; readonly needsEcho?: boolean }
  | { readonly type: 'command'; readonly text: string; readonly needsEcho?: boolean }
  | { readonly type: 'answer'; readonly text: string; readonly model: string | undefined }
  | { readonly type: 'reasoning'; readonly text: string }
  | Closing
  | { readonly type: 'aside'; readonly question: string; readonly text: string }
  /** Whole lines that a shell command printed. */
  | { readonly type: 'output'; readonly text: string }
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'failure'; readonly message: string; readonly hint?: string | undefined };

export function notice(text: string): Entry {
  return { type: 'notice', text };
}

export function failureEntry(message: string, hint?: string): Entry {
  return { type: 'failure', message, hint };
}
