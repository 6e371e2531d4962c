import { startTimer, type ProgramClock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { maskValue } from '../../secrets/mask.ts';
import type { AppendFile } from '../../storage/append-file.ts';
import { holdLock, type HeldLock, type RefusedLock } from '../../storage/lock/lock.ts';
import type { ProcessFacts } from '../../storage/lock/process-facts.ts';
import { errorCode, storageFailure } from '../../storage/storage-failure.ts';
import { isAttribute } from '../attributes.ts';
import { dataVariable } from '../library/conversation-folder.ts';
import { formatRecord, type JournalRecord } from './records.ts';

export interface JournalOptions {
  /** The data folder. Undefined if the home folder is unknown: nothing is stored, with a warning. */
  readonly folder: string | undefined;
  /** False with `--no-save`: nothing is stored, without a warning. Default true. */
  readonly save?: boolean;
  readonly clock: ProgramClock;
  /** A number from 0 up to 1, as `Math.random`. */
  readonly random: () => number;
  readonly process: ProcessFacts;
  readonly version: string;
  /** The current folder, which a new conversation remembers. */
  readonly startedIn?: string;
  /** Masks secrets in what is written; the conversation in memory and the requests keep them. */
  readonly mask?: (text: string) => string;
  /** One sentence; called for the first failed write, and for the first one after a successful write. */
  readonly onWarning: (text: string, subject?: 'storage') => void;
}

export interface StorageState {
  readonly isStored: boolean;
  /** Turns not completely on disk. */
  readonly unsavedTurns: number;
  /** The file, which may not exist yet; undefined if nothing is stored. */
  readonly path: string | undefined;
  /** Why the last write failed. */
  readonly failure: Failure | undefined;
}

/** Appends records to a file and keeps those that cannot be written. Never throws. */
export interface JournalFile {
  /** Usually one write call. After a failure, the records are kept and written after a pause. */
  write(records: readonly JournalRecord[]): void;
  /** Writes the kept records now. */
  retry(): void;
  /** Flushes the file to the disk soon. */
  synchronize(): void;
  state(): StorageState;
  /** Waits until everything is on the disk, and releases the lock. */
  close(): Promise<void>;
}

export interface FileTarget {
  readonly path: string;
  readonly lockPath: string;
  /** Held for a conversation that is on disk or has a name; others take their lock when their file is created. */
  readonly lock?: HeldLock | undefined;
  readonly isNew: boolean;
  /** The last line has no line end, so the next record must start a new line. */
  readonly isTorn: boolean;
  readonly file: AppendFile;
}

/** Milliseconds to the next write after the first failure; each further failure doubles them. */
const minPause = 500;
const maxPause = 30_000;
/** Milliseconds: the request that follows a prompt, and a quick answer, are not delayed by Node's start of threads. */
const flushDelay = 50;

const sharedWarning =
  'another natter opened this conversation while this one was suspended; the turns of both are kept, as versions of each other';

function turnsIn(records: readonly JournalRecord[]): number {
  const ids = records.flatMap((record) => {
    if (record.type === 'turn') return [record.id];
    return 'turn' in record && !isAttribute(record) ? [record.turn] : [];
  });
  return new Set(ids).size;
}

/** Stores nothing; warns once if saving was expected. */
export function memoryFile(
  { folder, save, onWarning }: JournalOptions,
  allRecords: () => readonly JournalRecord[],
): JournalFile {
  const message = 'conversations are not saved, because the home folder is unknown';
  const failure =
    folder === undefined && save !== false
      ? new Failure('storage', message, { hint: `set HOME, or ${dataVariable} to a folder` })
      : undefined;
  let hasWarned = failure === undefined;
  return {
    write() {
      if (!hasWarned) onWarning(message);
      hasWarned = true;
    },
    retry: () => undefined,
    synchronize: () => undefined,
    state() {
      return { isStored: false, unsavedTurns: turnsIn(allRecords()), path: undefined, failure };
    },
    close: async () => undefined,
  };
}

/** Undefined if the lock cannot be written. */
export function takeLock(
  path: string,
  options: JournalOptions,
): HeldLock | RefusedLock | undefined {
  try {
    return holdLock(path, options);
  } catch {
    // Then no turn can be written either, and the first failed write warns.
    return undefined;
  }
}

/** Masks secrets in typed text; answers arrive masked. */
function withoutSecrets(
  records: readonly JournalRecord[],
  { mask = (text) => text }: JournalOptions,
): readonly JournalRecord[] {
  return records.map((record) => {
    if (record.type === 'turn') return { ...record, content: mask(record.content) };
    return isAttribute(record) ? maskValue(record, mask) : record;
  });
}

/** The number of lines that are whole in the written bytes, and whether they end within a line. */
function countWhole(lines: readonly Buffer[], start: number, written: number) {
  let count = 0;
  let end = start;
  for (const { length } of lines) {
    if (end + length > written) break;
    end += length;
    count += 1;
  }
  return { count, isTorn: written !== end };
}

/** Creates the file and takes its lock at the first change other than of parameters. */
export function openJournalFile(
  target: FileTarget,
  options: JournalOptions,
  allRecords: () => readonly JournalRecord[],
): JournalFile {
  const { path, file } = target;
  const { clock, onWarning } = options;
  let { lock, isNew, isTorn } = target;
  let hasBegun = !isNew;
  let pending: readonly JournalRecord[] = [];
  let failure: Failure | undefined;
  let pause = 0;
  let nextTry = 0;
  let isShared = false;
  let settled: Promise<unknown> = Promise.resolve();
  let stopTimer: (() => void) | undefined;

  /** Appends the pending records; those not written completely stay pending. */
  function append(): void {
    const lines = pending.map((record) => Buffer.from(formatRecord(record)));
    const start = Buffer.from(isTorn ? '\n' : '');
    const written = file.append(path, Buffer.concat([start, ...lines]));
    const whole = countWhole(lines, start.length, written);
    isTorn = whole.isTorn;
    pending = pending.slice(whole.count);
    if (pending.length === 0) return;
    throw Object.assign(new Error('part of a record was not written'), { code: 'ENOSPC' });
  }

  function create(): void {
    file.create(path);
    isTorn = false;
    if (isNew && lock !== undefined) {
      isNew = false;
      return;
    }
    lock?.release();
    const taken = takeLock(target.lockPath, options);
    lock = taken?.isHeld === true ? taken : undefined;
  }

  function appendOrCreate(): void {
    try {
      append();
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      // The file is new, or it was removed, or its folder.
      pending = withoutSecrets(allRecords(), options);
      create();
      append();
    }
  }

  /** A failed write is repeated after a pause: every write costs time, and a full disk stays full for a while. */
  function retry(): void {
    if (pending.length === 0) return;
    try {
      appendOrCreate();
      failure = undefined;
      pause = 0;
      nextTry = 0;
    } catch (error) {
      pause = Math.min(Math.max(pause * 2, minPause), maxPause);
      nextTry = clock.monotonic() + pause;
      const isFirst = failure === undefined;
      failure = storageFailure('write', path, error, dataVariable);
      const { message } = failure;
      if (isFirst)
        onWarning(
          `${message}; natter goes on without saving (NATTER_SAVE=false turns saving off)`,
          'storage',
        );
    }
  }

  function flush(): void {
    if (stopTimer === undefined) return;
    stopTimer();
    stopTimer = undefined;
    // Without fdatasync, the data is written all the same; the next write reports other errors.
    settled = Promise.all([settled, file.synchronize(path).catch(() => undefined)]);
  }

  return {
    retry,
    write(records) {
      if (!hasBegun && records.every(({ type }) => type === 'parameters')) return;
      pending = [...pending, ...withoutSecrets(hasBegun ? records : allRecords(), options)];
      hasBegun = true;
      if (clock.monotonic() >= nextTry) retry();
      if (isShared || lock?.isKept() !== false) return;
      isShared = true;
      onWarning(sharedWarning);
    },
    synchronize() {
      if (failure === undefined) stopTimer ??= startTimer(clock, flushDelay, flush);
    },
    state: () => ({
      isStored: pending.length === 0,
      unsavedTurns: turnsIn(pending),
      path,
      failure,
    }),
    async close() {
      retry();
      flush();
      await settled;
      lock?.release();
    },
  };
}
