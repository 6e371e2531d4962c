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
  readonly reasoning: (text: string) => string;
  /** Columns of its rows; infinite if the terminal wraps them. */
  readonly reasoningWidth: () => number;
  /** `column`: where the text begins. */
  readonly answerText: (column: number) => MarkdownStream;
  /** A mark for the terminal (OSC 133): an answer begins, or ended, or failed. Empty without marks. */
  readonly mark: (name: 'C' | 'D;0' | 'D;1') => string;
  readonly separator: string;
}

type EntryType = Entry['type'];

const isNotice = (type: EntryType) => /^(?:closing|output|notice)$/.test(type);

/** Whether there is no separator before an entry: the output of a command, and further notices. */
const isAttached = (last: EntryType, type: EntryType) =>
  last === 'command' ? isNotice(type) || type === 'failure' : isNotice(last) && isNotice(type);

interface OpenText {
  /** Else it is the reasoning before one. */
  readonly isAnswer: boolean;
  readonly sanitizer: Sanitizer;
  readonly formatter: MarkdownStream;
  /** Its last character so far. */
  last: string;
}

export type Transcript = ReturnType<typeof createTranscript>;

/** Writes the conversation in order; entries printed during an answer are queued until it is closed. */
export function createTranscript(
  format: () => TranscriptFormat,
  write: (text: string) => Promise<void> | undefined,
) {
  let open: OpenText | undefined;
  /** The mark of the answer's begin is written. */
  let isMarked = false;
  /** The mark of the last answer's end, not written yet. */
  let endMark = '';
  let lastType: EntryType = 'prompt';
  let queued: readonly Entry[] = [];
  let last: Promise<unknown> = Promise.resolve();

  const inOrder = <Result>(act: () => Promise<Result>): Promise<Result> => {
    const result = last.then(act);
    // Only the caller gets the failure; later calls still run.
    last = result.catch(() => undefined);
    return result;
  };
  const show = async (shown: OpenText, formatted: string) => {
    if (formatted === '') return;
    shown.last = formatted.at(-1) ?? '\n';
    await write(shown.isAnswer ? formatted : format().reasoning(formatted));
  };
  const add = async (text: string) => {
    if (open !== undefined) await show(open, open.formatter.write(open.sanitizer.write(text)));
  };
  /** Ends the text that is being written. @returns the number of characters removed from an answer */
  const close = async () => {
    if (open === undefined) return 0;
    const closing = open;
    const { sanitizer, formatter, isAnswer } = closing;
    // Closed even if writing its end fails, so that later entries are still printed.
    open = undefined;
    await show(closing, formatter.write(sanitizer.end()) + formatter.end());
    if (closing.last !== '\n') await write('\n');
    return isAnswer ? sanitizer.removed : 0;
  };
  const markEnd = (isFailed: boolean) => {
    if (isMarked || isFailed) endMark = format().mark(isFailed ? 'D;1' : 'D;0');
    isMarked = false;
  };
  const separate = async (type: EntryType) => {
    await close();
    const before = lastType;
    lastType = type;
    if (isAttached(before, type)) return;
    const { mark, separator } = format();
    const isAnswer = type === 'answer' || type === 'reasoning';
    // Before a line end, because the live region may write the row after it again.
    const marks = endMark + (isAnswer && !isMarked ? mark('C') : '');
    endMark = '';
    isMarked ||= isAnswer;
    await write(marks + separator);
  };
  /** Begins a text after a head. @param make gets the column after the head */
  const begin = async (head: string, make: TranscriptFormat['answerText'], isAnswer = false) => {
    await separate(isAnswer ? 'answer' : 'reasoning');
    await write(head);
    const formatter = make(displayWidth(head));
    open = { isAnswer, sanitizer: createSanitizer(), formatter, last: '\n' };
  };
  const addReasoning = async (text: string) => {
    const { reasoningHead, reasoningWidth } = format();
    if (open === undefined)
      await begin(reasoningHead, (column) => {
        const rows = createWordRows(reasoningWidth, column);
        return { write: (added) => rows(added), end: () => rows('', true), undecided: () => '' };
      });
    await add(text);
  };
  const beginAnswer = (model: string | undefined) => {
    const { answerHead, answerText } = format();
    return begin(answerHead(model), answerText, true);
  };
  const printAll = async (entries: readonly Entry[]) => {
    for (const entry of entries) {
      if (entry.type === 'answer') {
        await beginAnswer(entry.model);
        await add(entry.text);
        await close();
        markEnd(false);
      } else if (entry.type === 'reasoning') {
        await addReasoning(entry.text);
      } else {
        const formatOne = format()[entry.type] as (entry: Entry, isReply: boolean) => string;
        const text = formatOne(entry, lastType === 'command');
        if (text === '') continue;
        await separate(entry.type);
        await write(text);
      }
    }
  };
  return {
    print: (entries: readonly Entry[]) =>
      inOrder(async () => {
        if (open?.isAnswer === true) queued = [...queued, ...entries];
        else await printAll(entries);
      }),
    reasoningText: (text: string) => inOrder(() => addReasoning(text)),
    openAnswer: (model: string) => inOrder(() => beginAnswer(model)),
    /** Resolves when the decided part of the text is written. */
    answerText: (text: string) => inOrder(() => add(text)),
    undecided: () => open?.formatter.undecided() ?? '',
    /** Writes the rest of the answer, then the queued entries. @returns the number of removed characters */
    closeAnswer: (isFailed = false) =>
      inOrder(async () => {
        const removed = await close();
        markEnd(isFailed);
        const entries = queued;
        queued = [];
        await printAll(entries);
        return removed;
      }),
  };
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
