import { createWakeUp, startTimer, type Clock, type WakeUp } from '../../../clock.ts';
import type { GroupLimits } from './group-limits.ts';
import { createLineSplitter, type LineOptions } from './split-lines.ts';

/** Consecutive lines of the input. */
export interface LineGroup {
  readonly text: string;
  /** From 1. */
  readonly firstLine: number;
  readonly lastLine: number;
}

/** Complete groups that wait for an answer. */
export interface Waiting {
  readonly groups: number;
  readonly lines: number;
}

export interface GroupOptions extends LineOptions {
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
  readonly options: GroupOptions;
  readonly groups: ReturnType<typeof createGroups>;
  readonly arrived: WakeUp;
  readonly taken: WakeUp;
  /** Aborts when no more groups are taken. */
  readonly abandoned: AbortSignal;
  isOver: boolean;
  failure: { readonly error: unknown } | undefined;
}

async function add(reading: Reading, lines: readonly string[]): Promise<void> {
  const { options, groups, taken, abandoned } = reading;
  const { waiting } = groups;
  for (const line of lines) {
    groups.add(line);
    if (waiting.length < maxWaiting) continue;
    options.onFull({ groups: waiting.length, lines: linesIn(waiting) });
    while (waiting.length >= maxWaiting && !abandoned.aborted) await taken.next();
  }
}

async function read(reading: Reading, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const { options, groups, arrived, abandoned } = reading;
  const splitter = createLineSplitter(options);
  try {
    for await (const piece of bytes) {
      await add(reading, splitter.push(piece));
      if (abandoned.aborted) return;
    }
    await add(reading, splitter.end());
  } catch (error) {
    reading.failure = { error };
  }
  groups.close();
  reading.isOver = true;
  arrived.wake();
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
  const abandon = new AbortController();
  const { signal: abandoned } = abandon;
  const reading: Reading = {
    options,
    groups,
    arrived,
    taken,
    abandoned,
    isOver: false,
    failure: undefined,
  };
  void read(reading, bytes);
  try {
    for (;;) {
      const group = groups.waiting.shift();
      if (group !== undefined) {
        taken.wake();
        yield group;
      } else if (reading.isOver) break;
      else await arrived.next();
    }
  } finally {
    abandon.abort('abandoned');
    taken.wake();
  }
  if (reading.failure !== undefined) throw reading.failure.error;
}
