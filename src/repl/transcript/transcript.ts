import { createWordStream } from '../../terminal/text/rows.ts';
import { createSanitizer, sanitize, type Sanitizer } from '../../terminal/safety/sanitizer.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import type { Closing, Entry } from './entry.ts';

/** May hold back text whose format is not decided yet. */
export interface AnswerFormatter {
  write(text: string): string | Promise<string>;
  end(): string | Promise<string>;
  /** The undecided text, for a preview. */
  undecided(): string;
}

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
  answerText(column: number): AnswerFormatter;
  /** Empty if there is nothing to show. */
  closing(closing: Closing): string;
  welcome(parts: readonly string[]): string;
  /** `isReply`: directly after the command that it replies to. */
  notice(text: string, isReply?: boolean): string;
  failure(message: string, hint: string | undefined): string;
  /** Written between entries. */
  readonly separator: string;
}

/** Writes the conversation in order; entries printed during an answer are queued until it is closed. */
export interface Transcript {
  print(entries: readonly Entry[]): Promise<void>;
  reasoningText(text: string): Promise<void>;
  openAnswer(model: string): Promise<void>;
  /** Resolves when the decided part of the text is written. */
  answerText(text: string): Promise<void>;
  undecided(): string;
  /** Writes the rest of the answer, then the queued entries. @returns the number of removed characters */
  closeAnswer(): Promise<number>;
}

interface OpenAnswer {
  readonly sanitizer: Sanitizer;
  readonly formatter: AnswerFormatter;
  /** The last character written. */
  last: string;
}

interface OpenReasoning {
  readonly sanitizer: Sanitizer;
  readonly rows: ReturnType<typeof createWordStream>;
  /** The last character written. */
  last: string;
}

type Group = 'conversation' | 'command' | 'notice' | 'failure';

/** What follows a group without a separator: the output of a command, and further notices. */
const attached: Readonly<Record<Group, readonly Group[]>> = {
  conversation: [],
  command: ['notice', 'failure'],
  notice: ['notice'],
  failure: [],
};

type Write = (text: string) => Promise<void> | undefined;

interface TranscriptState {
  readonly format: () => TranscriptFormat;
  readonly write: Write;
  answer: OpenAnswer | undefined;
  reasoning: OpenReasoning | undefined;
  lastGroup: Group | undefined;
}

async function writeReasoning(
  state: TranscriptState,
  reasoning: OpenReasoning,
  text: string,
): Promise<void> {
  if (text === '') return;
  reasoning.last = text.at(-1) ?? '\n';
  await state.write(state.format().reasoning(text));
}

function closeReasoning(state: TranscriptState): void {
  const { reasoning } = state;
  state.reasoning = undefined;
  if (reasoning === undefined) return;
  const { rows, sanitizer } = reasoning;
  void writeReasoning(state, reasoning, rows.write(sanitizer.end()) + rows.end());
  if (reasoning.last !== '\n') void state.write('\n');
}

async function addReasoning(state: TranscriptState, text: string): Promise<void> {
  if (state.reasoning === undefined) {
    separate(state, 'conversation');
    const format = state.format();
    void state.write(format.reasoningHead);
    const width = () => format.reasoningWidth();
    const rows = createWordStream(width, displayWidth(format.reasoningHead));
    state.reasoning = { sanitizer: createSanitizer(), rows, last: '\n' };
  }
  const { reasoning } = state;
  await writeReasoning(state, reasoning, reasoning.rows.write(reasoning.sanitizer.write(text)));
}

function separate(state: TranscriptState, group: Group): void {
  closeReasoning(state);
  const { lastGroup, format, write } = state;
  const isAttached = lastGroup !== undefined && attached[lastGroup].includes(group);
  if (!isAttached) void write(format().separator);
  state.lastGroup = group;
}

function openAnswer(state: TranscriptState, model: string | undefined): OpenAnswer {
  separate(state, 'conversation');
  const format = state.format();
  const head = format.answerHead(model);
  void state.write(head);
  const formatter = format.answerText(displayWidth(head));
  const answer = { sanitizer: createSanitizer(), formatter, last: '\n' };
  state.answer = answer;
  return answer;
}

async function writeFormatted(
  { write }: TranscriptState,
  answer: OpenAnswer,
  formatted: string | Promise<string>,
): Promise<void> {
  const text = await formatted;
  if (text === '') return;
  answer.last = text.at(-1) ?? '\n';
  await write(text);
}

function addText(state: TranscriptState, answer: OpenAnswer, text: string): Promise<void> {
  return writeFormatted(state, answer, answer.formatter.write(answer.sanitizer.write(text)));
}

async function closeAnswer(state: TranscriptState, answer: OpenAnswer): Promise<number> {
  const { sanitizer, formatter } = answer;
  // Closed even if writing its end fails, so that later entries are still printed.
  state.answer = undefined;
  await writeFormatted(state, answer, formatter.write(sanitizer.end()));
  await writeFormatted(state, answer, formatter.end());
  if (answer.last !== '\n') void state.write('\n');
  return sanitizer.removed;
}

type ShortEntry = Exclude<Entry, { readonly type: 'answer' }>;

const groups: Readonly<Record<ShortEntry['type'], Group>> = {
  prompt: 'conversation',
  command: 'command',
  closing: 'notice',
  welcome: 'conversation',
  output: 'notice',
  notice: 'notice',
  failure: 'failure',
};

function formatEntry(format: TranscriptFormat, entry: ShortEntry, isReply: boolean): string {
  switch (entry.type) {
    case 'prompt':
      return format.prompt(entry.text, entry.needsEcho === true);
    case 'command':
      return format.command(entry.text, entry.needsEcho === true);
    case 'closing':
      return format.closing(entry);
    case 'welcome':
      return format.welcome(entry.parts);
    case 'output':
      return sanitize(entry.text);
    case 'notice':
      return format.notice(entry.text, isReply);
    case 'failure':
      return format.failure(entry.message, entry.hint);
  }
}

async function printEntry(state: TranscriptState, entry: Entry): Promise<void> {
  if (entry.type === 'answer') {
    const answer = openAnswer(state, entry.model);
    await addText(state, answer, entry.text);
    await closeAnswer(state, answer);
    return;
  }
  const text = formatEntry(state.format(), entry, state.lastGroup === 'command');
  if (text === '') return;
  separate(state, groups[entry.type]);
  await state.write(text);
}

async function printAll(state: TranscriptState, entries: readonly Entry[]): Promise<void> {
  for (const entry of entries) await printEntry(state, entry);
}

/** Runs asynchronous functions one after the other. */
function createSerialQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(act: () => Promise<Result>): Promise<Result> => {
    const result = last.then(act);
    // Only the caller gets the failure; later calls still run.
    last = result.catch(() => undefined);
    return result;
  };
}

export function createTranscript(format: () => TranscriptFormat, write: Write): Transcript {
  const state: TranscriptState = {
    format,
    write,
    answer: undefined,
    reasoning: undefined,
    lastGroup: undefined,
  };
  const inOrder = createSerialQueue();
  let queued: readonly Entry[] = [];
  return {
    print: (entries) =>
      inOrder(async () => {
        if (state.answer === undefined) await printAll(state, entries);
        else queued = [...queued, ...entries];
      }),
    reasoningText: (text) => inOrder(() => addReasoning(state, text)),
    openAnswer: (model) => inOrder(async () => void openAnswer(state, model)),
    answerText: (text) =>
      inOrder(async () => {
        if (state.answer !== undefined) await addText(state, state.answer, text);
      }),
    undecided: () => state.answer?.formatter.undecided() ?? '',
    closeAnswer: () =>
      inOrder(async () => {
        closeReasoning(state);
        const removed = state.answer === undefined ? 0 : await closeAnswer(state, state.answer);
        const entries = queued;
        queued = [];
        await printAll(state, entries);
        return removed;
      }),
  };
}
