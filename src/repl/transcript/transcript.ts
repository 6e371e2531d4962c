import { createWordRows } from '../../terminal/text/rows.ts';
import { createSanitizer, sanitize, type Sanitizer } from '../../terminal/safety/sanitizer.ts';
import type { MarkdownStream } from '../../terminal/markdown/block-driver.ts';
import type { PromptTime } from '../../conversation/prompt-time.ts';
import { displayWidth } from '../../terminal/text/width.ts';

/** Formats the entries of a transcript. Arguments are not sanitized; results end with a line end. */
export interface TranscriptFormat {
  prompt(text: string, needsEcho: boolean): string;
  command(text: string, needsEcho: boolean): string;
  answerHead(model: string | undefined): string;
  readonly reasoningHead: string;
  reasoning(text: string): string;
  /** Columns of its rows; infinite if the terminal wraps them. */
  reasoningWidth(): number;
  /** `column`: where the text begins. */
  answerText(column: number): MarkdownStream;
  /** Empty if there is nothing to show. */
  closing(closing: Closing): string;
  /** `isReply`: directly after the command that it replies to. */
  notice(text: string, isReply?: boolean): string;
  failure(message: string, hint: string | undefined): string;
  /** A mark for the terminal (OSC 133): an answer begins, or ended, or failed. Empty without marks. */
  mark(name: 'C' | 'D;0' | 'D;1'): string;
  /** A side question and its answer, which is Markdown and may be empty. */
  aside(question: string, text: string): string;
  /** Written between entries. */
  readonly separator: string;
}

type ShortEntry = Exclude<Entry, { readonly type: 'answer' | 'reasoning' }>;

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

function formatEntry(format: TranscriptFormat, entry: ShortEntry, isReply: boolean): string {
  switch (entry.type) {
    case 'prompt':
      return format.prompt(entry.text, entry.needsEcho === true);
    case 'command':
      return format.command(entry.text, entry.needsEcho === true);
    case 'aside':
      return format.aside(entry.question, entry.text);
    case 'closing':
      return format.closing(entry);
    case 'output':
      return sanitize(entry.text);
    case 'notice':
      return format.notice(entry.text, isReply);
    case 'failure':
      return format.failure(entry.message, entry.hint);
  }
}

/** A text that is being written; `last` is its last character so far. */
interface OpenText {
  readonly sanitizer: Sanitizer;
  last: string;
}

/** Writes the conversation in order; entries printed during an answer are queued until it is closed. */
export class Transcript {
  readonly #format: () => TranscriptFormat;
  readonly #write: (text: string) => Promise<void> | undefined;
  #answer: (OpenText & { readonly formatter: MarkdownStream }) | undefined;
  #reasoning: (OpenText & { readonly rows: ReturnType<typeof createWordRows> }) | undefined;
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
      if (this.#answer === undefined) await this.#printAll(entries);
      else this.#queued = [...this.#queued, ...entries];
    });
  }

  reasoningText(text: string): Promise<void> {
    return this.#inOrder(() => this.#addReasoning(text));
  }

  openAnswer(model: string): Promise<void> {
    return this.#inOrder(async () => this.#open(model));
  }

  /** Resolves when the decided part of the text is written. */
  answerText(text: string): Promise<void> {
    return this.#inOrder(() => this.#addText(text));
  }

  undecided(): string {
    return this.#answer?.formatter.undecided() ?? '';
  }

  /** Writes the rest of the answer, then the queued entries. @returns the number of removed characters */
  closeAnswer(isFailed = false): Promise<number> {
    return this.#inOrder(async () => {
      this.#closeReasoning();
      const removed = await this.#close();
      this.#markEnd(isFailed);
      const entries = this.#queued;
      this.#queued = [];
      await this.#printAll(entries);
      return removed;
    });
  }

  /** Runs asynchronous functions one after the other. */
  #inOrder<Result>(act: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(act);
    // Only the caller gets the failure; later calls still run.
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #add(open: OpenText, formatted: string): Promise<void> {
    if (formatted === '') return;
    open.last = formatted.at(-1) ?? '\n';
    await this.#write(open === this.#reasoning ? this.#format().reasoning(formatted) : formatted);
  }

  async #addReasoning(text: string): Promise<void> {
    if (this.#reasoning === undefined) {
      this.#separate('conversation', true);
      const format = this.#format();
      void this.#write(format.reasoningHead);
      const width = () => format.reasoningWidth();
      const rows = createWordRows(width, displayWidth(format.reasoningHead));
      this.#reasoning = { sanitizer: createSanitizer(), rows, last: '\n' };
    }
    const { rows, sanitizer } = this.#reasoning;
    await this.#add(this.#reasoning, rows(sanitizer.write(text)));
  }

  #closeReasoning(): void {
    const reasoning = this.#reasoning;
    if (reasoning === undefined) return;
    const { rows, sanitizer } = reasoning;
    void this.#add(reasoning, rows(sanitizer.end(), true));
    this.#reasoning = undefined;
    if (reasoning.last !== '\n') void this.#write('\n');
  }

  #markEnd(isFailed: boolean): void {
    if (this.#isMarked || isFailed) this.#endMark = this.#format().mark(isFailed ? 'D;1' : 'D;0');
    this.#isMarked = false;
  }

  #separate(group: Group, isAnswer = false): void {
    this.#closeReasoning();
    const last = this.#lastGroup;
    this.#lastGroup = group;
    if (isAttached(last, group)) return;
    const format = this.#format();
    // Before a line end, because the live region may write the row after it again.
    const marks = this.#endMark + (isAnswer && !this.#isMarked ? format.mark('C') : '');
    this.#endMark = '';
    this.#isMarked ||= isAnswer;
    void this.#write(marks + format.separator);
  }

  #open(model: string | undefined): void {
    this.#separate('conversation', true);
    const format = this.#format();
    const head = format.answerHead(model);
    void this.#write(head);
    const formatter = format.answerText(displayWidth(head));
    this.#answer = { sanitizer: createSanitizer(), formatter, last: '\n' };
  }

  async #addText(text: string): Promise<void> {
    const answer = this.#answer;
    if (answer === undefined) return;
    await this.#add(answer, answer.formatter.write(answer.sanitizer.write(text)));
  }

  async #close(): Promise<number> {
    const answer = this.#answer;
    if (answer === undefined) return 0;
    const { sanitizer, formatter } = answer;
    // Closed even if writing its end fails, so that later entries are still printed.
    this.#answer = undefined;
    await this.#add(answer, formatter.write(sanitizer.end()) + formatter.end());
    if (answer.last !== '\n') void this.#write('\n');
    return sanitizer.removed;
  }

  async #printAll(entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) {
      if (entry.type === 'answer') {
        this.#open(entry.model);
        await this.#addText(entry.text);
        await this.#close();
        this.#markEnd(false);
      } else if (entry.type === 'reasoning') {
        await this.#addReasoning(entry.text);
      } else {
        const text = formatEntry(this.#format(), entry, this.#lastGroup === 'command');
        if (text === '') continue;
        this.#separate(groups[entry.type]);
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
  /** An earlier answer, shown again. */
  | { readonly type: 'answer'; readonly text: string; readonly model: string | undefined }
  /** The reasoning of an earlier answer. */
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
