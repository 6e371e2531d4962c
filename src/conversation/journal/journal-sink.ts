import { Failure } from '../../failure.ts';
import { maskValue } from '../../secrecy/mask.ts';
import type { AppendFile } from '../../storage/append-file.ts';
import { holdLock, type HeldLock, type RefusedLock } from '../../storage/lock/lock.ts';
import type { ConversationSink, JournalOptions } from './journal.ts';
import { createJournalWriter } from './journal-writer.ts';
import { dataVariable } from '../library/conversation-folder.ts';
import type { JournalRecord } from './records.ts';

/** Stores nothing; warns once if saving was expected. */
export function memorySink({ folder, save, onWarning }: JournalOptions): ConversationSink {
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
    synchronize: () => undefined,
    save: () => undefined,
    state: (turns) => ({ isStored: false, unsavedTurns: turns, path: undefined, failure }),
    close: async () => undefined,
  };
}

export interface FileTarget {
  readonly path: string;
  readonly lockPath: string;
  /** Of a conversation that is already on disk; a new one takes its lock when its file is created. */
  readonly lock?: HeldLock | undefined;
  readonly isNew: boolean;
  readonly isTorn: boolean;
  readonly allRecords: () => readonly JournalRecord[];
  readonly file: AppendFile;
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

function turnsIn(records: readonly JournalRecord[]): number {
  const ids = records.flatMap((record) =>
    record.type === 'turn' ? [record.id] : 'turn' in record ? [record.turn] : [],
  );
  return new Set(ids).size;
}

const sharedWarning =
  'another natter opened this conversation while this one was suspended; the turns of both are kept, as versions of each other';

/** Masks secrets in typed text; answers arrive masked. */
function withoutSecrets(
  records: readonly JournalRecord[],
  { mask = (text) => text }: JournalOptions,
): readonly JournalRecord[] {
  return records.map((record) => {
    if (record.type === 'turn') return { ...record, content: mask(record.content) };
    if (record.type === 'title') return { ...record, title: mask(record.title) };
    if (record.type === 'parameters') return { ...record, set: maskValue(record.set, mask) };
    return record;
  });
}

export function fileSink(target: FileTarget, options: JournalOptions): ConversationSink {
  const { path, lockPath } = target;
  let { lock } = target;
  const writer = createJournalWriter({
    ...target,
    allRecords: () => withoutSecrets(target.allRecords(), options),
    clock: options.clock,
    onCreated() {
      lock?.release();
      const taken = takeLock(lockPath, options);
      if (taken?.isHeld === true) lock = taken;
    },
    onFailure: ({ message }) =>
      options.onWarning(`${message}; the conversation continues unsaved`, 'storage'),
  });
  let isShared = false;
  return {
    write(...records) {
      writer.write(...withoutSecrets(records, options));
      if (isShared || lock?.isKept() !== false) return;
      isShared = true;
      options.onWarning(sharedWarning);
    },
    save: () => writer.retry(),
    synchronize: () => writer.synchronize(),
    state: () => ({
      isStored: writer.isStored,
      unsavedTurns: turnsIn(writer.unsaved()),
      path,
      failure: writer.failure,
    }),
    async close() {
      writer.retry();
      await writer.settled();
      lock?.release();
    },
  };
}

/** Writes nothing before the first change other than of parameters; that one writes all records so far. */
export function openLazily(
  sink: ConversationSink,
  allRecords: () => readonly JournalRecord[],
): ConversationSink {
  let hasWritten = false;
  return {
    ...sink,
    write(...records) {
      if (!hasWritten && records.every(({ type }) => type === 'parameters')) return;
      sink.write(...(hasWritten ? records : allRecords()));
      hasWritten = true;
    },
  };
}
