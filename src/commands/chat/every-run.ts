// Answers standard input in groups of lines while it arrives, divided by number, time and size.
import { TextDecoder } from 'node:util';
import { failureOfSeveral } from '../../ask/ask.ts';
import { openAsker } from '../../ask/fallback.ts';
import { promptMessages } from '../../ask/plan-request.ts';
import { type Clock, createWakeUp, startTimer } from '../../clock.ts';
import {
  composePrompt,
  hasInputPlaceholder,
  insertInput,
} from '../../conversation/compose-prompt.ts';
import { requireEncoding } from '../../conversation/decode-text.ts';
import { Failure } from '../../failure.ts';
import { heading } from '../../output/comparison.ts';
import { failureFields } from '../../output/ending-failure.ts';
import { count } from '../../output/figures.ts';
import { answerFields, jsonLine } from '../../output/json-answer.ts';
import { finishNotice } from '../../output/notices.ts';
import { createTextPrinter, refuseClosedOutput } from '../../output/answer-printer.ts';
import { openWindowStatus } from '../../output/window-status.ts';
import type { StartedRun } from '../../run.ts';
import { parseDuration } from '../../settings/value-types.ts';
import { withHint } from '../../cli/report.ts';
import { attachFiles } from '../../input/attach-files.ts';
import { namedInputs } from '../../input/read-prompt.ts';
import { openSecretGuard } from '../../input/secret-guard.ts';
import { type ChatOptions, type ChatRun, prepare, promptOf, refuseTogether } from './chat-run.ts';

const example = 'for example: tail -f app.log | ‹natter --every 200l,30s "flag anomalies"›';

/** When a group of lines is complete. `Infinity` is no limit, which only a size cannot be. */
interface GroupLimits {
  readonly lines: number;
  /** Time since the first line of the group arrived. */
  readonly milliseconds: number;
  readonly bytes: number;
}

const bytesPerUnit: ReadonlyMap<string, number> = new Map([
  ['kb', 1000],
  ['mb', 1_000_000],
]);

/** The default size of a group, which is also the largest that can be set. */
const maxGroupBytes = 1_000_000;

function parseLimit(text: string): Partial<GroupLimits> | undefined {
  const lines = /^(?<lines>\d{1,9})(?:l|lines?)$/i.exec(text)?.groups?.['lines'];
  if (lines !== undefined) return { lines: Number(lines) };
  const { amount, unit = '' } = /^(?<amount>\d{1,6})(?<unit>kb|mb)$/i.exec(text)?.groups ?? {};
  if (amount !== undefined) {
    const bytes = Number(amount) * (bytesPerUnit.get(unit.toLowerCase()) ?? 1);
    return bytes <= maxGroupBytes ? { bytes } : undefined;
  }
  const milliseconds = /[a-z]$/i.test(text) ? parseDuration(text) : undefined;
  return milliseconds === undefined ? undefined : { milliseconds };
}

/** Reads `--every`. @param text `200l`, `30s`, `64kb`, or several of them with commas @throws Failure `usage` */
export function parseGroupLimits(text: string): GroupLimits {
  const limits = { lines: Infinity, milliseconds: Infinity, bytes: maxGroupBytes };
  for (const part of text.split(',')) {
    const limit = parseLimit(part.trim());
    const [value = 0] = Object.values(limit ?? {});
    if (limit === undefined || value === 0) {
      throw new Failure(
        'usage',
        `--every must be lines, a time or a size up to 1mb, such as 200l, 30s, 64kb or 200l,30s`,
        { hint: example },
      );
    }
    Object.assign(limits, limit);
  }
  return limits;
}

/** Cuts a line that is larger than a group, between two characters. */
function cutLine(line: string, most: number): readonly string[] {
  if (Buffer.byteLength(line) <= most) return [line];
  const bytes = Buffer.from(line);
  const parts: string[] = [];
  for (let start = 0; start < bytes.length;) {
    let end = Math.min(start + most, bytes.length);
    // The other bytes of a character in UTF-8 begin with the bits 10.
    while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
    parts.push(bytes.toString('utf8', start, end));
    start = end;
  }
  return parts;
}

/**
 * Makes lines with their ends of pieces of input; a line that is larger than a group is several parts.
 * @throws Failure `usage` for bytes that are not text
 */
function createLineSplitter({ encoding = 'utf-8', lossy, limits: { bytes: most } }: GroupOptions) {
  const decoder = new TextDecoder(encoding, { fatal: lossy !== true });
  let rest = '';
  function decode(bytes?: Uint8Array): string {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (error) {
      throw new Failure('usage', `standard input is not ${encoding.toUpperCase()}`, {
        hint: 'name its encoding with --stdin-encoding, or pass --lossy to replace invalid bytes',
        cause: error,
      });
    }
  }
  function take(text: string): readonly string[] {
    // Not a pattern: one that searches a long line for its end takes quadratic time.
    const lines = `${rest}${text}`.split('\n');
    const begun = cutLine(lines.pop() ?? '', most);
    rest = begun.at(-1) ?? '';
    return [...lines.flatMap((line) => cutLine(`${line}\n`, most)), ...begun.slice(0, -1)];
  }
  return {
    push: (bytes: Uint8Array): readonly string[] => take(decode(bytes)),
    /** Returns the last line, which has no end. */
    end(): readonly string[] {
      const found = take(decode());
      return rest === '' ? found : [...found, rest];
    },
  };
}

/** Lines of the input that follow one another. */
interface LineGroup {
  readonly text: string;
  /** Counts from 1. */
  readonly firstLine: number;
  readonly lastLine: number;
}

interface GroupOptions {
  readonly limits: GroupLimits;
  readonly encoding?: string | undefined;
  readonly lossy?: boolean | undefined;
  readonly clock: Clock;
  /** Called when reading stops for the first time until a group is taken, so that the writer waits. */
  readonly onFull: (groups: number, lines: number) => void;
}

/** The number of waiting groups at which the input is held back. */
const maxWaiting = 8;

/** Fills one group after the other; the complete ones wait in a list. */
function createGroups({ limits, clock }: GroupOptions, onGroup: () => void) {
  const waiting: LineGroup[] = [];
  let text = '';
  let bytes = 0;
  let firstLine = 0;
  let lastLine = 0;
  /** Whether the next part belongs to a new line, or to one that was cut. */
  let isNewLine = true;
  let stopTimer: () => void = () => undefined;
  function close(): void {
    stopTimer();
    if (text === '') return;
    waiting.push({ text, firstLine, lastLine });
    text = '';
    bytes = 0;
    onGroup();
  }
  return {
    waiting,
    close,
    add(part: string): void {
      const size = Buffer.byteLength(part);
      if (bytes + size > limits.bytes) close();
      if (isNewLine) lastLine += 1;
      isNewLine = part.endsWith('\n');
      if (text === '') {
        firstLine = lastLine;
        stopTimer = startTimer(clock, limits.milliseconds, close);
      }
      text += part;
      bytes += size;
      if (lastLine - firstLine + 1 >= limits.lines || bytes >= limits.bytes) close();
    },
  };
}

const linesIn = (groups: readonly LineGroup[]) =>
  groups.reduce((sum, { firstLine, lastLine }) => sum + lastLine - firstLine + 1, 0);

/**
 * Groups lines by number, time and size, whichever comes first. Input is read only while few groups wait.
 * @throws Failure `usage` for input that is not text, after the groups before it; any error of `bytes`
 */
export async function* groupLines(
  bytes: AsyncIterable<Uint8Array>,
  options: GroupOptions,
): AsyncGenerator<LineGroup, void> {
  const [arrived, taken] = [createWakeUp(), createWakeUp()];
  const groups = createGroups(options, () => arrived.wake());
  const { waiting } = groups;
  /** `isAbandoned`: the caller takes no more groups. */
  const reading = { isOver: false, isAbandoned: false, wasFull: false };
  let failure: { readonly error: unknown } | undefined;
  const add = async (lines: readonly string[]) => {
    for (const line of lines) {
      groups.add(line);
      if (waiting.length < maxWaiting) continue;
      if (!reading.wasFull) options.onFull(waiting.length, linesIn(waiting));
      reading.wasFull = true;
      while (waiting.length >= maxWaiting && !reading.isAbandoned) await taken.next();
    }
  };
  const read = async () => {
    const splitter = createLineSplitter(options);
    try {
      for await (const piece of bytes) {
        await add(splitter.push(piece));
        if (reading.isAbandoned) break;
      }
      await add(splitter.end());
    } catch (error) {
      failure = { error };
    }
    groups.close();
    reading.isOver = true;
    arrived.wake();
  };
  void read();
  try {
    for (;;) {
      const group = waiting.shift();
      if (group !== undefined) {
        taken.wake();
        yield group;
      } else if (reading.isOver) break;
      else await arrived.next();
    }
  } finally {
    reading.isAbandoned = true;
    groups.close();
    taken.wake();
  }
  if (failure !== undefined) throw failure.error;
}

/** Options of a single answer, or of a conversation. */
const unusable = [
  'jsonl',
  'dryRun',
  'continue',
  'resume',
  'branch',
  'conversation',
  'save',
  'split',
] as const;

const labelOf = ({ firstLine, lastLine }: LineGroup) =>
  firstLine === lastLine
    ? `line ${count(firstLine)}`
    : `lines ${count(firstLine)}-${count(lastLine)}`;

/** Makes the function that asks with the lines of a group. @throws Failure if nothing can answer */
async function openGroups(run: ChatRun, words: readonly string[]) {
  const { context, options, presentation, settings } = run;
  const { notices } = presentation;
  const { stdinEncoding: encoding, lossy } = options;
  const { system } = settings.values;
  const { signal, environment } = context;
  const { names } = namedInputs(options, words);
  const guard = openSecretGuard(run);
  const attached = await attachFiles(names, { encoding, lossy, signal, context, notices });
  const files = (await guard?.inspect(attached)) ?? attached;
  const prompt = promptOf(words);
  const asker = await openAsker(run, { command: 'chat --every' });
  const compose = async ({ text, firstLine }: LineGroup) => {
    const texts = [{ name: 'standard input', content: text, firstLine }];
    const [{ content } = { content: '' }] = (await guard?.inspect(texts)) ?? texts;
    const inSystem = hasInputPlaceholder(prompt) ? undefined : insertInput(system, content);
    const input = inSystem === undefined ? content : undefined;
    return promptMessages(inSystem ?? system, composePrompt({ prompt, files, input }));
  };
  const ask = async (group: LineGroup, sink?: Parameters<typeof asker.ask>[3]) => {
    const warn = (text: string) => notices.warning(`${labelOf(group)}: ${text}`);
    const answer = await asker.ask(() => compose(group), warn, guard, sink);
    return { ...answer, failure: answer.failure && withHint(answer.failure, environment) };
  };
  return { ask, close: () => asker.close() };
}

type Ask = Awaited<ReturnType<typeof openGroups>>['ask'];

/** Prints the answer for a group: a line of JSON, or a text below a heading. */
async function printGroup(
  run: ChatRun,
  ask: Ask,
  group: LineGroup,
  isFirst: boolean,
): Promise<Failure | undefined> {
  const { context, format, presentation, settings } = run;
  const { stdout } = context.streams;
  const { firstLine: first_line, lastLine: last_line } = group;
  if (format === 'json') {
    const { content, metadata, failure } = await ask(group);
    const answer = answerFields(metadata, content, settings.values.model);
    const failed = failureFields(failure, context);
    await stdout.write(jsonLine({ first_line, last_line, ...answer, ...failed }));
    return failure;
  }
  // The next group's heading starts on its own row.
  const printing = { ...run, format: format === 'exact' ? ('text' as const) : format };
  const printer = await createTextPrinter(printing, settings);
  await stdout.write(`${isFirst ? '' : '\n'}${heading(labelOf(group), presentation.style)}`);
  const { metadata, failure } = await ask(group, printer);
  await printer.end();
  const notice = failure === undefined ? finishNotice(metadata) : undefined;
  if (notice !== undefined) presentation.notices.notice(`${labelOf(group)}: ${notice}`);
  return failure;
}

/**
 * Answers standard input group by group, as it arrives.
 * @throws Failure of the groups that failed, at the end of the input; or the reason of the context's signal
 */
export async function runEvery(
  started: StartedRun<ChatOptions>,
  words: readonly string[],
): Promise<void> {
  const { context, options } = started;
  const hint = 'each group is a new prompt, and is not saved; --json prints a line for each';
  refuseTogether('every', unusable, options, hint);
  const { signal, clock, streams } = context;
  if (streams.stdin.isTerminal || !options.stdin) {
    throw new Failure('usage', '--every needs standard input that is piped in', { hint: example });
  }
  const limits = parseGroupLimits(options.every ?? '');
  const run = prepare(started);
  refuseClosedOutput(streams.stdout, false);
  const { presentation, settings } = run;
  const { stdinEncoding: encoding, lossy } = options;
  if (encoding !== undefined) requireEncoding(encoding);
  const onFull = (groups: number, lines: number) =>
    presentation.notices.notice(
      `input arrives faster than answers; reading is paused (${groups} groups with ${count(lines)} lines wait)`,
    );
  const { ask, close } = await openGroups(run, words);
  const isAnimated = presentation.animated && options.quiet !== true;
  const window = openWindowStatus(context, isAnimated, settings.values);
  const reading = { limits, clock, encoding, lossy, onFull };
  const failures: Failure[] = [];
  let number = 0;
  try {
    for await (const group of groupLines(streams.stdin.bytes(signal), reading)) {
      window.show(`${labelOf(group)} - natter --every`, 'busy');
      const failure = await printGroup(run, ask, group, number === 0);
      signal.throwIfAborted();
      window.show('natter --every', 'none');
      number += 1;
      if (failure === undefined) continue;
      failures.push(failure);
      presentation.notices.warning(`${labelOf(group)}: ${failure.message}`);
    }
  } finally {
    window.end();
    await close();
  }
  if (number === 0) {
    presentation.notices.notice(
      `--every reads standard input, not -f, and it was empty; nothing is sent; ${example}`,
    );
  }
  const failure = failureOfSeveral(failures, number, 'groups');
  if (failure !== undefined) throw failure;
}
