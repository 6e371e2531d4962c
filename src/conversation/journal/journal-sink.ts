import { Failure } from '../../failure.ts';
import type { AppendFile } from '../../storage/append-file.ts';
import { holdLock, type HeldLock, type RefusedLock } from '../../storage/lock/hold-lock.ts';
import type { JournalOptions } from './journal.ts';
import { createJournalWriter } from './journal-writer.ts';
import { dataVariable } from '../library/conversation-folder.ts';
import type { JournalRecord } from './records.ts';
import type { ConversationSink } from './write-conversation.ts';

/** Keeps nothing; warns once where something was to be kept. */
export function memorySink({ folder, save, onWarning }: JournalOptions): ConversationSink {
  const message = 'conversations are not kept, because the home folder is unknown';
  const failure =
    folder === undefined && save !== false
      ? new Failure('storage', message, { hint: `set HOME, or ${dataVariable} to a folder` })
      : undefined;
  let isTold = failure === undefined;
  return {
    write() {
      if (!isTold) onWarning(message);
      isTold = true;
    },
    synchronize: () => undefined,
    save: () => undefined,
    state: (turns) => ({ isStored: false, unsavedTurns: turns, path: undefined, failure }),
    close: async () => undefined,
  };
}

/** The file a journal is written to. */
export interface FileTarget {
  readonly path: string;
  readonly lockPath: string;
  /** The lock of a conversation that is on disk already; a new one takes it when it comes there. */
  readonly lock?: HeldLock | undefined;
  readonly isNew: boolean;
  readonly isTorn: boolean;
  readonly allRecords: () => readonly JournalRecord[];
  readonly file: AppendFile;
}

/** Undefined where no lock can be written. */
export function takeLock(
  path: string,
  options: JournalOptions,
): HeldLock | RefusedLock | undefined {
  try {
    return holdLock(path, options);
  } catch {
    // Where no lock can be written no turn can, and the first that fails is told of.
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
  'another natter has opened this conversation while this one was suspended; both are kept, as versions of each other';

/** The records without the secrets that a person typed; those of answers are masked as they come. */
function withoutSecrets(
  records: readonly JournalRecord[],
  { mask = (text) => text }: JournalOptions,
): readonly JournalRecord[] {
  return records.map((record) => {
    if (record.type === 'turn') return { ...record, content: mask(record.content) };
    if (record.type === 'title') return { ...record, title: mask(record.title) };
    return record;
  });
}

/** Appends to a file. */
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
    onFailure: ({ message }) => options.onWarning(`${message}; the conversation goes on unsaved`),
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

/** The first change brings everything before it along: until then nothing is on disk. */
export function openLazily(
  sink: ConversationSink,
  allRecords: () => readonly JournalRecord[],
): ConversationSink {
  let isBegun = false;
  return {
    ...sink,
    write(...records) {
      sink.write(...(isBegun ? records : allRecords()));
      isBegun = true;
    },
  };
}
