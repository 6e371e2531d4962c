// Divides standard input into groups of lines while it arrives: by number, time and size.
import { TextDecoder } from 'node:util';
import { createWakeUp, startTimer, type Clock } from '../clock.ts';
import { Failure } from '../failure.ts';
import { parseDuration } from '../settings/value-types.ts';

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

/** The size of a group without a limit of its own, and the largest one that can be set. */
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
        { hint: 'for example: tail -f app.log | ‹natter --every 200l,30s "flag anomalies"›' },
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
export interface LineGroup {
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
