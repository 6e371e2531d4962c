// Answers standard input in groups of lines while it arrives, divided by number, time and size.
import { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { failureOfSeveral } from '../../ask/ask.ts';
import { openAsker } from '../../ask/fallback.ts';
import { promptMessages } from '../../ask/plan-request.ts';
import { type Clock, startTimer } from '../../clock.ts';
import {
  composePrompt,
  hasInputPlaceholder,
  insertInput,
} from '../../conversation/compose-prompt.ts';
import { requireEncoding } from '../../conversation/decode-text.ts';
import { exclusive, Failure } from '../../failure.ts';
import { count } from '../../output/figures.ts';
import { finishNotice, truncationFailure, truncationWarning } from '../../output/notices.ts';
import { createAnswerPrinter, heading, refuseClosedOutput } from '../../output/answer-printer.ts';
import { openWindowStatus } from '../../output/window-status.ts';
import { duration } from '../../settings/definitions.ts';
import { withHint } from '../../cli/report.ts';
import { attachFiles } from '../../input/attach-files.ts';
import { namedInputs } from '../../input/read-prompt.ts';
import { openSecretGuard } from '../../input/secret-guard.ts';
import { type ChatAction, prepare, promptOf } from './run.ts';

const example = 'for example: tail -f app.log | ‹natter --every 200l,30s "flag anomalies"›';

/** When a group of lines is complete. `Infinity` is no limit, which only a size cannot be. */
interface GroupLimits {
  readonly lines: number;
  /** Time since the first line of the group arrived. */
  readonly milliseconds: number;
  readonly bytes: number;
}

/** The default size of a group, which is also the largest that can be set. */
const maxGroupBytes = 1_000_000;

/** Reads one limit. For a text that is not a limit, the result is empty or has the value 0. */
function parseLimit(text: string): Partial<GroupLimits> {
  const [, amount, unit = ''] = /^(\d{1,9})(l|lines?|kb|mb)$/i.exec(text) ?? [];
  if (amount === undefined) {
    return /[a-z]$/i.test(text) ? { milliseconds: duration.parse(text) ?? 0 } : {};
  }
  if (/^l/i.test(unit)) return { lines: Number(amount) };
  const bytes = Number(amount) * (/^k/i.test(unit) ? 1000 : 1_000_000);
  return bytes <= maxGroupBytes ? { bytes } : {};
}

/** Reads `200l`, `30s`, `64kb`, or several of them with commas. @throws Failure `usage` */
export function parseGroupLimits(text: string): GroupLimits {
  const limits = text.split(',').map((part) => parseLimit(part.trim()));
  if (limits.every((limit) => Object.values(limit).some((value) => value > 0))) {
    const none = { lines: Infinity, milliseconds: Infinity, bytes: maxGroupBytes };
    return Object.assign(none, ...limits) as GroupLimits;
  }
  const problem =
    '--every must be lines, a time or a size up to 1mb, such as 200l, 30s, 64kb or 200l,30s';
  throw new Failure('usage', problem, { hint: example });
}

interface GroupOptions {
  readonly limits: GroupLimits;
  readonly encoding?: string | undefined;
  readonly lossy?: boolean | undefined;
  readonly clock: Clock;
  /** Called when reading stops for the first time until a group is taken, so that the writer waits. */
  readonly onFull: (groups: number, lines: number) => void;
}

const encoder = new TextEncoder();

/**
 * Reads lines with their ends; a line that is larger than a group is several parts, which end between characters.
 * @throws Failure `usage` for bytes that are not text
 */
async function* readLines(
  bytes: AsyncIterable<Uint8Array>,
  { encoding = 'utf-8', lossy, limits }: GroupOptions,
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder(encoding, { fatal: lossy !== true });
  const decode = (piece?: Uint8Array) => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch (error) {
      throw new Failure('usage', `standard input is not ${encoding.toUpperCase()}`, {
        hint: 'name its encoding with --stdin-encoding, or pass --lossy to replace invalid bytes',
        cause: error,
      });
    }
  };
  const place = new Uint8Array(limits.bytes);
  let rest = '';
  function* take(text: string): Generator<string, void> {
    // Not a pattern: one that searches a long line for its end takes quadratic time.
    const lines = `${rest}${text}`.split('\n');
    for (const [index, line] of lines.entries()) {
      rest = index === lines.length - 1 ? line : `${line}\n`;
      for (;;) {
        const { read } = encoder.encodeInto(rest, place);
        if (read === rest.length) break;
        yield rest.slice(0, read);
        rest = rest.slice(read);
      }
      if (rest.endsWith('\n')) yield rest;
    }
  }
  for await (const piece of bytes) yield* take(decode(piece));
  yield* take(decode());
  if (rest !== '') yield rest;
}

interface LineGroup {
  readonly text: string;
  /** Counts from 1. */
  readonly firstLine: number;
  readonly lastLine: number;
}

const maxWaiting = 8;

/**
 * Groups lines by number, time and size, whichever comes first. Input is read only while few groups wait.
 * @throws Failure `usage` for input that is not text, after the groups before it; any error of `bytes`
 */
export async function* groupLines(
  bytes: AsyncIterable<Uint8Array>,
  options: GroupOptions,
): AsyncGenerator<LineGroup, void> {
  const { limits, clock, onFull } = options;
  const group = { text: '', bytes: 0, firstLine: 0, lastLine: 0 };
  let takenLine = 0;
  let wasFull = false;
  let stopTimer: () => void = () => undefined;
  let proceed: () => void = () => undefined;
  const groups = new Readable({
    objectMode: true,
    highWaterMark: maxWaiting,
    read: () => proceed(),
    destroy(error, done) {
      stopTimer();
      proceed();
      done(error);
    },
  });
  const close = () => {
    stopTimer();
    const { text, firstLine, lastLine } = group;
    if (text === '') return;
    group.text = '';
    group.bytes = 0;
    if (groups.push({ text, firstLine, lastLine }) || groups.destroyed || wasFull) return;
    wasFull = true;
    onFull(groups.readableLength, lastLine - takenLine);
  };
  const read = async () => {
    /** Whether the next part belongs to a new line, or to one that was cut. */
    let isNewLine = true;
    for await (const part of readLines(bytes, options)) {
      const size = Buffer.byteLength(part);
      if (group.bytes + size > limits.bytes) close();
      if (isNewLine) group.lastLine += 1;
      isNewLine = part.endsWith('\n');
      if (group.text === '') {
        group.firstLine = group.lastLine;
        stopTimer = startTimer(clock, limits.milliseconds, close);
      }
      group.text += part;
      group.bytes += size;
      const lines = group.lastLine - group.firstLine + 1;
      if (lines >= limits.lines || group.bytes >= limits.bytes) close();
      while (groups.readableLength >= maxWaiting && !groups.destroyed) {
        await new Promise<void>((resolve) => (proceed = resolve));
      }
      if (groups.destroyed) return;
    }
  };
  const reading = read().finally(() => {
    close();
    groups.push(null);
  });
  // It is thrown below, after the groups.
  reading.catch(() => undefined);
  for await (const taken of groups as AsyncIterable<LineGroup>) {
    takenLine = taken.lastLine;
    yield taken;
  }
  await reading;
}

/**
 * Answers standard input group by group, as it arrives.
 * @throws Failure of the groups that failed, at the end of the input; or the reason of the context's signal
 */
export const runEvery: ChatAction = async (started, words) => {
  const { context, options } = started;
  // Not declared with conflicts(), because commander would refuse --no-save, too.
  if (options.save === true) {
    const hint = 'each group is a new prompt, and is not saved; --json prints a line for each';
    throw exclusive('--every', '--save', hint);
  }
  const { signal, clock, streams, environment } = context;
  if (streams.stdin.isTerminal || !options.stdin) {
    throw new Failure('usage', '--every needs standard input that is piped in', { hint: example });
  }
  const limits = parseGroupLimits(options.every ?? '');
  const run = prepare(started);
  refuseClosedOutput(streams.stdout, false);
  const { presentation, settings } = run;
  const { notices } = presentation;
  const { stdinEncoding: encoding, lossy } = options;
  if (encoding !== undefined) requireEncoding(encoding);
  const onFull = (groups: number, lines: number) =>
    notices.notice(
      `input arrives faster than answers; reading is paused (${groups} groups with ${count(lines)} lines wait)`,
    );
  const { model, system } = settings.values;
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
  const isAnimated = presentation.animated && options.quiet !== true;
  const window = openWindowStatus(context, isAnimated, settings.values);
  const reading = { limits, clock, encoding, lossy, onFull };
  // The next group's heading starts on its own row.
  const format = run.format === 'exact' ? 'text' : run.format;
  const failures: Failure[] = [];
  let number = 0;
  try {
    for await (const group of groupLines(streams.stdin.bytes(signal), reading)) {
      const { firstLine: first, lastLine: last } = group;
      const label =
        first === last ? `line ${count(first)}` : `lines ${count(first)}-${count(last)}`;
      window.show(`${label} - natter --every`, 'busy');
      const jsonFields = () => ({ first_line: first, last_line: last });
      const printer = await createAnswerPrinter({ ...run, format, jsonFields }, settings, model);
      const title = `${number === 0 ? '' : '\n'}${heading(label, presentation.style)}`;
      if (format !== 'json') await streams.stdout.write(title);
      const warn = (text: string) => notices.warning(`${label}: ${text}`);
      const answer = await asker.ask(() => compose(group), warn, guard, printer);
      const cut = options.strict === true ? truncationFailure(answer.metadata) : undefined;
      const found = answer.failure ?? cut;
      const failure = found && withHint(found, environment);
      await printer.end({ ...answer, failure });
      const isSilent = format === 'json' || failure !== undefined;
      const notice = isSilent ? undefined : finishNotice(answer.metadata);
      if (notice !== undefined) notices.notice(`${label}: ${notice}`);
      const warning = cut === undefined ? truncationWarning(answer.metadata) : undefined;
      if (warning !== undefined) warn(warning);
      signal.throwIfAborted();
      window.show('natter --every', 'none');
      number += 1;
      if (failure === undefined) continue;
      failures.push(failure);
      warn(failure.message);
    }
  } finally {
    window.end();
    await asker.close();
  }
  if (number === 0) {
    notices.notice(`--every reads standard input, not -f, and it was empty; ${example}`);
  }
  const failure = failureOfSeveral(failures, number, 'groups');
  if (failure !== undefined) throw failure;
};
