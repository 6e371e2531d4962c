import { createSanitizer } from '../../terminal/safety/sanitizer.ts';
import type { Entry } from '../state/entry.ts';

/** Formats an answer's text; may hold back text whose format is not decided yet. */
export interface AnswerFormatter {
  write(text: string): string | Promise<string>;
  end(): string | Promise<string>;
  /** The undecided text, for a preview. */
  undecided(): string;
}

/** Formats the pieces of a transcript. Arguments are not sanitized; results end with a line end. */
export interface TranscriptFormat {
  prompt(text: string, isEarlier: boolean): string;
  command(text: string, isEarlier: boolean): string;
  /** Label before an answer. */
  answerHead(model: string | undefined): string;
  /** Label before reasoning. */
  readonly reasoningHead: string;
  reasoning(text: string): string;
  /** Returns a promise while its modules are loading. */
  answerText(): AnswerFormatter | Promise<AnswerFormatter>;
  notice(text: string): string;
  failure(message: string, hint: string | undefined): string;
  /** Written between pieces. */
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
  readonly sanitizer: ReturnType<typeof createSanitizer>;
  readonly transform: AnswerFormatter;
  last: string;
}

interface OpenReasoning {
  readonly sanitizer: ReturnType<typeof createSanitizer>;
  last: string;
}

/** Kind of the last piece: consecutive remarks have no separator between them. */
type Group = 'remark' | 'turn';

type Write = (text: string) => Promise<void> | undefined;

interface Writing {
  readonly format: () => TranscriptFormat;
  readonly write: Write;
  open: OpenAnswer | undefined;
  reasoning: OpenReasoning | undefined;
  before: Group | undefined;
}

async function writeReasoning(writing: Writing, open: OpenReasoning, text: string): Promise<void> {
  if (text === '') return;
  open.last = text.at(-1) ?? '\n';
  await writing.write(writing.format().reasoning(text));
}

function closeReasoning(writing: Writing): void {
  const open = writing.reasoning;
  writing.reasoning = undefined;
  if (open === undefined) return;
  void writeReasoning(writing, open, open.sanitizer.end());
  if (open.last !== '\n') void writing.write('\n');
}

async function reason(writing: Writing, text: string): Promise<void> {
  if (writing.reasoning === undefined) {
    separate(writing, 'turn');
    void writing.write(writing.format().reasoningHead);
    writing.reasoning = { sanitizer: createSanitizer(), last: '\n' };
  }
  const { reasoning } = writing;
  await writeReasoning(writing, reasoning, reasoning.sanitizer.write(text));
}

function separate(writing: Writing, group: Group): void {
  closeReasoning(writing);
  const { before, format, write } = writing;
  const belong = before === 'remark' && group === 'remark';
  if (before !== undefined && !belong) void write(format().separator);
  writing.before = group;
}

async function begin(writing: Writing, model: string | undefined): Promise<OpenAnswer> {
  separate(writing, 'turn');
  const format = writing.format();
  void writing.write(format.answerHead(model));
  const transform = await format.answerText();
  const open = { sanitizer: createSanitizer(), transform, last: '\n' };
  writing.open = open;
  return open;
}

async function put(
  { write }: Writing,
  answer: OpenAnswer,
  text: string | Promise<string>,
): Promise<void> {
  const shown = await text;
  if (shown === '') return;
  answer.last = shown.at(-1) ?? '\n';
  await write(shown);
}

async function finish(writing: Writing, answer: OpenAnswer): Promise<number> {
  const { sanitizer, transform } = answer;
  // Closed even if writing its end fails, so that later entries are still printed.
  writing.open = undefined;
  await put(writing, answer, transform.write(sanitizer.end()));
  await put(writing, answer, transform.end());
  if (answer.last !== '\n') void writing.write('\n');
  return sanitizer.removed;
}

async function printOne(writing: Writing, entry: Entry): Promise<void> {
  if (entry.type === 'answer') {
    const answer = await begin(writing, entry.model);
    await put(writing, answer, answer.transform.write(answer.sanitizer.write(entry.text)));
    await finish(writing, answer);
    return;
  }
  const format = writing.format();
  const isTurn = entry.type === 'prompt' || entry.type === 'command';
  separate(writing, isTurn ? 'turn' : 'remark');
  if (entry.type === 'command') {
    // No separator before the command's output.
    writing.before = 'remark';
    await writing.write(format.command(entry.text, entry.isEarlier === true));
  }
  if (entry.type === 'prompt')
    await writing.write(format.prompt(entry.text, entry.isEarlier === true));
  if (entry.type === 'notice') await writing.write(format.notice(entry.text));
  if (entry.type === 'failure') await writing.write(format.failure(entry.message, entry.hint));
}

async function printAll(writing: Writing, entries: readonly Entry[]): Promise<void> {
  for (const entry of entries) await printOne(writing, entry);
}

/** Runs asynchronous functions one after the other. */
function createOrder() {
  let order: Promise<unknown> = Promise.resolve();
  return <Result>(act: () => Promise<Result>): Promise<Result> => {
    const result = order.then(act);
    // A failure reaches the caller only; later calls still run.
    order = result.catch(() => undefined);
    return result;
  };
}

export function createTranscript(format: () => TranscriptFormat, write: Write): Transcript {
  const writing: Writing = {
    format,
    write,
    open: undefined,
    reasoning: undefined,
    before: undefined,
  };
  const inOrder = createOrder();
  let waiting: readonly Entry[] = [];
  return {
    print: (entries) =>
      inOrder(async () => {
        if (writing.open === undefined) await printAll(writing, entries);
        else waiting = [...waiting, ...entries];
      }),
    reasoningText: (text) => inOrder(() => reason(writing, text)),
    openAnswer: (model) => inOrder(async () => void (await begin(writing, model))),
    answerText: (text) =>
      inOrder(async () => {
        const { open } = writing;
        if (open === undefined) return;
        await put(writing, open, open.transform.write(open.sanitizer.write(text)));
      }),
    undecided: () => writing.open?.transform.undecided() ?? '',
    closeAnswer: () =>
      inOrder(async () => {
        closeReasoning(writing);
        const removed = writing.open === undefined ? 0 : await finish(writing, writing.open);
        const entries = waiting;
        waiting = [];
        await printAll(writing, entries);
        return removed;
      }),
  };
}
