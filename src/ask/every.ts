// Standard input in groups of lines, as it arrives: by number, time and size.
import { TextDecoder } from 'node:util';
import { createWakeUp, startTimer, type Clock } from '../clock.ts';
import { Failure } from '../failure.ts';
import { parseDuration } from '../settings/value-types.ts';

/** When a group of lines is complete; `Infinity` without a limit. */
interface GroupLimits {
  readonly lines: number;
  /** After its first line. */
  readonly milliseconds: number;
  readonly bytes: number;
}

const bytesPerUnit: ReadonlyMap<string, number> = new Map([
  ['kb', 1000],
  ['mb', 1_000_000],
]);

/** The most text that one group has. */
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

/** @param text `200l`, `30s`, `64kb`, or several of them with commas @throws Failure `usage` */
export function parseGroupLimits(text: string): GroupLimits {
  const limits = { lines: Infinity, milliseconds: Infinity, bytes: maxGroupBytes };
  for (const part of text.split(',')) {
    const limit = parseLimit(part.trim());
    const [value = 0] = Object.values(limit ?? {});
    if (limit === undefined || value === 0) {
      throw new Failure(
        'usage',
        `--every must be lines, a time or a size up to 1mb, such as 200l, 30s, 64kb or 200l,30s`,
        { hint: 'for example: tail -f app.log | ‹natter --every 200l,30s "flag anomalies"›' },
      );
    }
    Object.assign(limits, limit);
  }
  return limits;
}

interface LineOptions {
  readonly encoding?: string | undefined;
  readonly lossy?: boolean | undefined;
}

/** The last index that does not divide a surrogate pair. */
const cutAt = (text: string, index: number): number =>
  /[\uD800-\uDBFF]/.test(text.charAt(index - 1)) ? index - 1 : index;

/** A line longer than a group is cut. */
function cutLine(line: string): readonly string[] {
  const parts: string[] = [];
  let rest = line;
  while (rest.length > maxGroupBytes) {
    const cut = cutAt(rest, maxGroupBytes);
    parts.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...parts, rest];
}

/** Lines with their ends, from pieces of input. @throws Failure `usage` for bytes that are not text */
function createLineSplitter({ encoding = 'utf-8', lossy }: LineOptions) {
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
    const begun = cutLine(lines.pop() ?? '');
    rest = begun.at(-1) ?? '';
    return [...lines.flatMap((line) => cutLine(`${line}\n`)), ...begun.slice(0, -1)];
  }
  return {
    push: (bytes: Uint8Array): readonly string[] => take(decode(bytes)),
    /** The rest, without a line end. */
    end(): readonly string[] {
      const found = take(decode());
      return rest === '' ? found : [...found, rest];
    },
  };
}

/** Consecutive lines of the input. */
export interface LineGroup {
  readonly text: string;
  /** Counts from 1. */
  readonly firstLine: number;
  readonly lastLine: number;
}

/** Complete groups that wait for an answer. */
export interface Waiting {
  readonly groups: number;
  readonly lines: number;
}

interface GroupOptions extends LineOptions {
  readonly limits: GroupLimits;
  readonly clock: Clock;
  /** Reading has stopped until a group is taken, so that the writer waits. */
  readonly onFull: (waiting: Waiting) => void;
}

/** Groups that wait before the input is held back. */
const maxWaiting = 8;

/** The group that is being filled, and those that are complete. */
function createGroups({ limits, clock }: GroupOptions, onGroup: () => void) {
  const waiting: LineGroup[] = [];
  let lines: string[] = [];
  let bytes = 0;
  let count = 0;
  let stopTimer: () => void = () => undefined;
  function close(): void {
    stopTimer();
    if (lines.length === 0) return;
    waiting.push({
      text: lines.join(''),
      firstLine: count - lines.length + 1,
      lastLine: count,
    });
    lines = [];
    bytes = 0;
    onGroup();
  }
  return {
    waiting,
    close,
    add(line: string): void {
      const size = Buffer.byteLength(line);
      if (bytes + size > limits.bytes) close();
      if (lines.length === 0) stopTimer = startTimer(clock, limits.milliseconds, close);
      lines.push(line);
      bytes += size;
      count += 1;
      if (lines.length >= limits.lines || bytes >= limits.bytes) close();
    },
  };
}

const linesIn = (groups: readonly LineGroup[]) =>
  groups.reduce((sum, { firstLine, lastLine }) => sum + lastLine - firstLine + 1, 0);

interface Reading {
  isOver: boolean;
  /** No more groups are taken. */
  isAbandoned: boolean;
  failure?: { readonly error: unknown };
}

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
  const reading: Reading = { isOver: false, isAbandoned: false };
  const add = async (lines: readonly string[]) => {
    for (const line of lines) {
      groups.add(line);
      if (waiting.length < maxWaiting) continue;
      options.onFull({ groups: waiting.length, lines: linesIn(waiting) });
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
      reading.failure = { error };
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
  if (reading.failure !== undefined) throw reading.failure.error;
}
