import { startTimer, type Clock } from '../../clock.ts';
import type { Failure } from '../../failure.ts';
import type { AppendFile } from '../../storage/append-file.ts';
import { errorCode, storageFailure } from '../../storage/storage-failure.ts';
import { dataVariable } from '../library/conversation-folder.ts';
import { formatRecord, type JournalRecord } from './records.ts';

/** Appends records to a file and keeps those that cannot be written. Never throws. */
export interface JournalWriter {
  /** Usually one write call. After a failure, the records are kept and written after a pause. */
  write(...records: readonly JournalRecord[]): void;
  /** Writes the kept records now. */
  retry(): void;
  /** Flushes the file to the disk soon. */
  synchronize(): void;
  /** Flushes now what {@link JournalWriter.synchronize} has not, and resolves when everything is on the disk. */
  settled(): Promise<void>;
  readonly isStored: boolean;
  /** Records not on disk. */
  unsaved(): readonly JournalRecord[];
  readonly failure: Failure | undefined;
}

export interface WriterOptions {
  readonly path: string;
  readonly file: AppendFile;
  readonly clock: Clock;
  /** The file does not exist yet. */
  readonly isNew: boolean;
  /** The last line has no line end, so the next record must start a new line. */
  readonly isTorn: boolean;
  /** All records of the conversation, to replace a removed file. */
  readonly allRecords: () => readonly JournalRecord[];
  readonly onCreated: () => void;
  /** Called for the first failure after a successful write. */
  readonly onFailure: (failure: Failure) => void;
}

/** Milliseconds to the next write after the first failure; each further failure doubles them. */
const minPause = 500;
const maxPause = 30_000;
/** Milliseconds: the request that follows a prompt, and a quick answer, are not delayed by Node's start of threads. */
const flushDelay = 50;
/** Maximum bytes of one write call, unless a record is longer: limits what a full disk cuts. */
const maxWriteBytes = 1 << 18;

interface PendingLine {
  readonly record: JournalRecord;
  readonly bytes: Buffer;
}

const lineOf = (record: JournalRecord): PendingLine => ({
  record,
  bytes: Buffer.from(formatRecord(record)),
});

interface FileState {
  isNew: boolean;
  isTorn: boolean;
  pending: PendingLine[];
}

function create(state: FileState, { file, path, onCreated }: WriterOptions): void {
  file.create(path);
  state.isNew = false;
  state.isTorn = false;
  onCreated();
}

/** The bytes of the next write call, and the offset of each line's end. */
function nextWrite({ pending, isTorn }: FileState, first: number) {
  const parts: Buffer[] = isTorn ? [Buffer.from('\n')] : [];
  const ends: number[] = [];
  let size = isTorn ? 1 : 0;
  for (let at = first; at < pending.length; at += 1) {
    const { bytes } = pending[at] as PendingLine;
    if (ends.length > 0 && size + bytes.length > maxWriteBytes) break;
    parts.push(bytes);
    size += bytes.length;
    ends.push(size);
  }
  return { bytes: Buffer.concat(parts), ends };
}

/** Appends the pending records; those not written completely stay pending. */
function append(state: FileState, { file, path }: WriterOptions): void {
  let done = 0;
  try {
    while (done < state.pending.length) {
      const { bytes, ends } = nextWrite(state, done);
      const written = file.append(path, bytes);
      const torn = ends.findIndex((end) => end > written);
      done += torn < 0 ? ends.length : torn;
      state.isTorn = torn >= 0 && (written > (ends[torn - 1] ?? 0) || state.isTorn);
      if (torn < 0) continue;
      throw Object.assign(new Error('part of a record was not written'), { code: 'ENOSPC' });
    }
  } finally {
    state.pending.splice(0, done);
  }
}

function appendOrRecreate(state: FileState, options: WriterOptions): void {
  if (state.isNew) create(state, options);
  try {
    append(state, options);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    // The file or its folder was removed.
    state.pending = options.allRecords().map(lineOf);
    state.isNew = true;
    create(state, options);
    append(state, options);
  }
}

/** Backoff after a failed write: every write costs time, and a full disk stays full for a while. */
function createBackoff({ clock }: WriterOptions) {
  let length = 0;
  let end = 0;
  return {
    isOver: () => clock.monotonic() >= end,
    grow() {
      length = Math.min(Math.max(length * 2, minPause), maxPause);
      end = clock.monotonic() + length;
    },
    reset() {
      length = 0;
      end = 0;
    },
  };
}

/** Writes the pending records and keeps the last failure. */
function createPendingWrite(state: FileState, options: WriterOptions) {
  const backoff = createBackoff(options);
  let failure: Failure | undefined;
  return {
    failure: () => failure,
    isDue: () => backoff.isOver(),
    run() {
      if (state.pending.length === 0) return;
      try {
        appendOrRecreate(state, options);
        failure = undefined;
        backoff.reset();
      } catch (error) {
        backoff.grow();
        const isFirst = failure === undefined;
        failure = storageFailure('write', options.path, error, dataVariable);
        if (isFirst) options.onFailure(failure);
      }
    },
  };
}

export function createJournalWriter(options: WriterOptions): JournalWriter {
  const { path, file, isNew, isTorn } = options;
  const state: FileState = { isNew, isTorn, pending: [] };
  const pendingWrite = createPendingWrite(state, options);
  let settled: Promise<unknown> = Promise.resolve();
  let stopTimer: (() => void) | undefined;
  function flush(): void {
    if (stopTimer === undefined) return;
    stopTimer();
    stopTimer = undefined;
    // Without fdatasync, the data is written all the same; the next write reports other errors.
    settled = Promise.all([settled, file.synchronize(path).catch(() => undefined)]);
  }
  return {
    retry: () => pendingWrite.run(),
    write(...records) {
      for (const record of records) state.pending.push(lineOf(record));
      if (pendingWrite.isDue()) pendingWrite.run();
    },
    synchronize() {
      if (state.isNew || pendingWrite.failure() !== undefined) return;
      stopTimer ??= startTimer(options.clock, flushDelay, flush);
    },
    async settled() {
      flush();
      await settled;
    },
    get isStored() {
      return state.pending.length === 0;
    },
    unsaved: () => state.pending.map(({ record }) => record),
    get failure() {
      return pendingWrite.failure();
    },
  };
}
