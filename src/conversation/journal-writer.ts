import type { Failure } from '../failure.ts';
import type { AppendFile } from '../storage/append-file.ts';
import { errorCode, storageFailure } from '../storage/storage-failure.ts';
import { dataVariable } from './conversation-folder.ts';
import { formatRecord, type JournalRecord } from './records.ts';

/** Appends records to a file and keeps what the disk does not take. Never throws. */
export interface JournalWriter {
  /** One write call for all of them. */
  write(...records: readonly JournalRecord[]): void;
  /** Tries to write what is kept. */
  retry(): void;
  /** Begins to wait for the disk; {@link JournalWriter.settled} tells when it has everything. */
  synchronize(): void;
  settled(): Promise<void>;
  /** Records that are not on disk. */
  readonly pending: readonly JournalRecord[];
  readonly failure: Failure | undefined;
}

export interface WriterOptions {
  readonly path: string;
  readonly file: AppendFile;
  /** The file is still to be made. */
  readonly isNew: boolean;
  /** The file's last line has no end: what follows must not be glued to it. */
  readonly isTorn: boolean;
  /** Everything, for a file that was taken away meanwhile. */
  readonly allRecords: () => readonly JournalRecord[];
  readonly onCreated: () => void;
  /** The first failure after a write that did not fail. */
  readonly onFailure: (failure: Failure) => void;
}

/** How many of `lines` are whole within the first `written` bytes. */
function wholeLines(lines: readonly Buffer[], written: number): number {
  let end = 0;
  const torn = lines.findIndex((line) => (end += line.length) > written);
  return torn < 0 ? lines.length : torn;
}

/** The file as the writer knows it. */
interface FileState {
  isNew: boolean;
  isTorn: boolean;
  pending: readonly JournalRecord[];
}

function create(state: FileState, { file, path, onCreated }: WriterOptions): void {
  file.create(path);
  state.isNew = false;
  state.isTorn = false;
  onCreated();
}

/** Appends what is pending and keeps what was not written whole. */
function append(state: FileState, { file, path }: WriterOptions): void {
  const lines = state.pending.map((record) => Buffer.from(formatRecord(record)));
  if (state.isTorn && lines[0] !== undefined) lines[0] = Buffer.from(`\n${String(lines[0])}`);
  const bytes = Buffer.concat(lines);
  const written = file.append(path, bytes);
  state.pending = state.pending.slice(wholeLines(lines, written));
  state.isTorn = written < bytes.length;
  if (!state.isTorn) return;
  throw Object.assign(new Error('part of a record was not written'), { code: 'ENOSPC' });
}

function appendAnywhere(state: FileState, options: WriterOptions): void {
  if (state.isNew) create(state, options);
  try {
    append(state, options);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    // Somebody took the file or its folder away.
    state.pending = options.allRecords();
    state.isNew = true;
    create(state, options);
    append(state, options);
  }
}

export function createJournalWriter(options: WriterOptions): JournalWriter {
  const { path, file, isNew, isTorn } = options;
  const state: FileState = { isNew, isTorn, pending: [] };
  let failure: Failure | undefined;
  let settled: Promise<unknown> = Promise.resolve();
  const retry = () => {
    if (state.pending.length === 0) return;
    try {
      appendAnywhere(state, options);
      failure = undefined;
    } catch (error) {
      const isFirst = failure === undefined;
      failure = storageFailure('write', path, error, dataVariable);
      if (isFirst) options.onFailure(failure);
    }
  };
  return {
    retry,
    write(...records) {
      state.pending = [...state.pending, ...records];
      retry();
    },
    synchronize() {
      if (state.isNew || failure !== undefined) return;
      // A disk that cannot tell has been written to all the same; the next write finds out more.
      settled = Promise.all([settled, file.synchronize(path).catch(() => undefined)]);
    },
    async settled() {
      await settled;
    },
    get pending() {
      return state.pending;
    },
    get failure() {
      return failure;
    },
  };
}
