import { dirname } from 'node:path';
import type { ProgramClock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import type { AppendFile } from '../../storage/append-file.ts';
import { makePrivateFolder } from '../../storage/files.ts';
import { holdLock, type HeldLock, type RefusedLock } from '../../storage/lock/lock.ts';
import type { ProcessFacts } from '../../storage/lock/process-facts.ts';
import { errorCode, storageFailure } from '../../storage/storage-failure.ts';
import { attributeRecords, isAttribute, type Attributes } from '../attributes.ts';
import { dataVariable, newId } from '../library/conversation-folder.ts';
import {
  leafOf,
  type AnswerEnd,
  type Conversation,
  type PassedModel,
  type Role,
  type Summary,
  type Turn,
} from '../tree.ts';
import {
  endRecord,
  formatRecord,
  headerRecord,
  maskRecord,
  recordsOf,
  summaryRecord,
  turnRecord,
  type DeltaRecord,
  type JournalFold,
  type JournalRecord,
} from './records.ts';

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

/** Where a journal is stored. */
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

export interface NewAnswer {
  /** The requested model. */
  readonly model: string;
  /** The model that the conversation continues with, if it is a different one. */
  readonly nextModel?: string | undefined;
  /** See {@link Turn.profile}. */
  readonly profile?: string;
  readonly fallbackFrom?: readonly PassedModel[];
  /** The user's turn; default: the leaf. */
  readonly parent?: string | undefined;
}

const turnIdLength = 6;
/** Milliseconds: a killed process loses at most half a second of text. */
const flushInterval = 400;
/** UTF-16 units: fast text is written sooner. */
const maxCollected = 1 << 18;
/** Milliseconds to the next write after the first failure; each further failure doubles them. */
const minPause = 500;
const maxPause = 30_000;

const sharedWarning =
  'another natter opened this conversation while this one was suspended; the turns of both are kept, as versions of each other';

/** Takes the lock of a conversation, and creates its folder; undefined if it cannot be written. */
export function takeLock(
  path: string,
  options: JournalOptions,
): HeldLock | RefusedLock | undefined {
  try {
    makePrivateFolder(dirname(path));
    return holdLock(path, options);
  } catch {
    // Then no turn can be written either, and the first failed write warns.
    return undefined;
  }
}

/**
 * One conversation, open for writing. Every change is appended to its file before the call returns, usually with one
 * write call. A failed write never throws here: `onWarning` reports it once, and a later change writes what is missing.
 * Nothing is created on disk before the first change other than of parameters.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #fold: JournalFold;
  readonly #target: FileTarget | undefined;
  /** Answers that may still get text. */
  readonly #open = new Set<string>();
  /** What the next write adds to the texts of answers, so that one record holds many deltas. */
  readonly #deltas = new Map<string, DeltaRecord>();
  #collected = 0;
  #stopTimer: (() => void) | undefined;

  #hasBegun: boolean;
  #isTorn: boolean;
  #lock: HeldLock | undefined;
  #isShared = false;
  /** Records that are not written yet, without secrets. */
  #pending: readonly JournalRecord[] = [];
  #failure: Failure | undefined;
  #pause = 0;
  #nextTry = 0;
  #synchronized: Promise<unknown> = Promise.resolve();

  /** @param target undefined if nothing is stored */
  constructor(options: JournalOptions, fold: JournalFold, target: FileTarget | undefined) {
    this.#options = options;
    this.#fold = fold;
    this.#target = target;
    this.#hasBegun = target?.isNew === false;
    this.#isTorn = target?.isTorn === true;
    this.#lock = target?.lock;
    if (options.folder === undefined && options.save !== false) {
      const message = 'conversations are not saved, because the home folder is unknown';
      const hint = `set HOME, or ${dataVariable} to a folder`;
      this.#failure = new Failure('storage', message, { hint });
    }
  }

  /** Includes the text so far of an answer that is streaming. Cheap when nothing changed since the last call. */
  conversation(): Conversation {
    return this.#fold.conversation();
  }

  /**
   * Adds a turn and selects it. It is on disk when this returns, before the request is sent. Without `parent` it follows
   * the leaf; an edited turn has the parent of its original, and undefined starts a new first turn.
   */
  addTurn(turn: {
    readonly role: Role;
    readonly content: string;
    readonly parent?: string | undefined;
  }): Turn {
    const added = this.#add(turn);
    // A whole answer, of another program.
    if (turn.role === 'assistant') return this.endAnswer(added.id, {});
    this.#synchronize();
    return added;
  }

  /** Adds an answer and selects it; for its first delta, or for a failure without one. */
  startAnswer(answer: NewAnswer): Turn {
    const turn = this.#add({ role: 'assistant', content: '', ...answer });
    this.#open.add(turn.id);
    return turn;
  }

  /** Adds to the text, refusal or reasoning of a started answer. It is written at least twice a second. */
  append(type: DeltaRecord['type'], turn: string, text: string): void {
    this.#fold.apply({ type, turn, text });
    const key = `${type} ${turn}`;
    const collected = this.#deltas.get(key)?.text ?? '';
    this.#deltas.set(key, { type, turn, text: collected + text });
    this.#collected += text.length;
    if (this.#collected > maxCollected) this.#flush();
    else this.#stopTimer ??= this.#options.clock.timer(flushInterval, () => this.#flush());
  }

  endAnswer(answerId: string, end: AnswerEnd): Turn {
    this.#open.delete(answerId);
    this.#change(endRecord(answerId, end));
    this.#synchronize();
    return this.#turn(answerId);
  }

  /** Selects a turn among its versions, and the path below it that was selected last. */
  select(turnId: string): void {
    this.#change({ type: 'choice', turn: this.#turn(turnId).id });
  }

  /** Removes a turn and everything after it for good: its parent becomes the leaf. */
  undo(turnId: string): void {
    this.#change({ type: 'undo', turn: this.#turn(turnId).id });
  }

  /** Sets attributes of the conversation, such as its title. */
  set(attributes: Attributes): void {
    for (const record of attributeRecords(attributes)) this.#change(record);
  }

  /** What the next requests have instead of the turns that it replaces. */
  setSummary(summary: Omit<Summary, 'createdAt'>): void {
    this.#change(summaryRecord({ ...summary, createdAt: this.#options.clock.date() }));
    this.#synchronize();
  }

  /** The turns are sent again. */
  removeSummary(turn: string): void {
    this.setSummary({ turn, after: turn, content: '' });
  }

  /** Tries to write what is not on disk. */
  save(): StorageState {
    this.#flush();
    this.#writePending();
    return this.state();
  }

  state(): StorageState {
    const target = this.#target;
    const turns = this.#pending.flatMap((record) => {
      if (record.type === 'turn') return [record.id];
      return 'turn' in record && !isAttribute(record) ? [record.turn] : [];
    });
    return {
      isStored: target !== undefined && this.#pending.length === 0,
      unsavedTurns: target === undefined ? this.conversation().turns.size : new Set(turns).size,
      path: target?.path,
      failure: this.#failure,
    };
  }

  /** Ends open answers as incomplete, waits until everything is on disk, and releases the lock. */
  async close(): Promise<void> {
    for (const answerId of this.#open) this.endAnswer(answerId, { incomplete: true });
    this.save();
    await this.#synchronized;
    this.#lock?.release();
  }

  #turn(id: string): Turn {
    const turn = this.conversation().turns.get(id);
    if (turn === undefined) throw new RangeError(`there is no turn ${id}`);
    return turn;
  }

  #allRecords(): readonly JournalRecord[] {
    const conversation = this.conversation();
    const header = headerRecord(conversation, this.#options.version);
    return [header, ...recordsOf(conversation, (turnId) => this.#open.has(turnId))];
  }

  /**
   * Every change goes to the fold and to the file. Collected deltas are written first: the file may have to be written
   * again as a whole, and deltas written after that would be in it twice.
   */
  #change(record: JournalRecord): void {
    this.#flush();
    this.#fold.apply(record);
    this.#write([record]);
  }

  #add(addition: Partial<NewAnswer> & { readonly role: Role; readonly content: string }): Turn {
    const conversation = this.conversation();
    const parent = 'parent' in addition ? addition.parent : leafOf(conversation)?.id;
    const { random, clock } = this.#options;
    const id = newId(random, turnIdLength, (taken) => conversation.turns.has(taken));
    this.#change(turnRecord({ ...addition, id, parent, createdAt: clock.date() }));
    return this.#turn(id);
  }

  /** Writes all collected deltas in one call. */
  #flush(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (this.#deltas.size === 0) return;
    const records = [...this.#deltas.values()];
    this.#deltas.clear();
    this.#collected = 0;
    this.#write(records);
  }

  #masked(records: readonly JournalRecord[]): readonly JournalRecord[] {
    const { mask } = this.#options;
    return mask === undefined ? records : records.map((record) => maskRecord(record, mask));
  }

  #write(changes: readonly JournalRecord[]): void {
    if (!this.#hasBegun && changes.every(({ type }) => type === 'parameters')) return;
    const records = this.#hasBegun ? changes : this.#allRecords();
    const { onWarning, clock } = this.#options;
    if (this.#target === undefined) {
      if (!this.#hasBegun && this.#failure !== undefined) onWarning(this.#failure.message);
      this.#hasBegun = true;
      return;
    }
    this.#hasBegun = true;
    this.#pending = [...this.#pending, ...this.#masked(records)];
    if (clock.monotonic() >= this.#nextTry) this.#writePending();
    if (this.#isShared || this.#lock?.isKept() !== false) return;
    this.#isShared = true;
    onWarning(sharedWarning);
  }

  /** A failed write is repeated after a pause: every write costs time, and a full disk stays full for a while. */
  #writePending(): void {
    const target = this.#target;
    if (target === undefined || this.#pending.length === 0) return;
    const { clock, onWarning } = this.#options;
    try {
      this.#appendOrCreate(target);
      this.#failure = undefined;
      this.#pause = 0;
      this.#nextTry = 0;
    } catch (error) {
      this.#pause = Math.min(Math.max(this.#pause * 2, minPause), maxPause);
      this.#nextTry = clock.monotonic() + this.#pause;
      const isFirst = this.#failure === undefined;
      this.#failure = storageFailure('write', target.path, error, dataVariable);
      const advice = 'natter goes on without saving (NATTER_SAVE=false turns saving off)';
      if (isFirst) onWarning(`${this.#failure.message}; ${advice}`, 'storage');
    }
  }

  #appendOrCreate(target: FileTarget): void {
    try {
      this.#appendPending(target);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      // The file is new, or it was removed, or its folder.
      this.#pending = this.#masked(this.#allRecords());
      target.file.create(target.path);
      this.#isTorn = false;
      const taken = this.#lock ?? takeLock(target.lockPath, this.#options);
      if (taken?.isHeld === true) this.#lock = taken;
      this.#appendPending(target);
    }
  }

  /** Records that are not written completely stay pending. */
  #appendPending({ path, file }: FileTarget): void {
    const lines = this.#pending.map((record) => Buffer.from(formatRecord(record)));
    const start = Buffer.from(this.#isTorn ? '\n' : '');
    const written = file.append(path, Buffer.concat([start, ...lines]));
    let end = start.length;
    const firstLost = lines.findIndex(({ length }) => {
      if (end + length > written) return true;
      end += length;
      return false;
    });
    this.#isTorn = written !== end;
    this.#pending = firstLost < 0 ? [] : this.#pending.slice(firstLost);
    if (firstLost < 0) return;
    throw Object.assign(new Error('part of a record was not written'), { code: 'ENOSPC' });
  }

  /** Flushes the file to the disk. The next write reports what prevents it: the data is written without it, too. */
  #synchronize(): void {
    if (this.#target === undefined || this.#failure !== undefined) return;
    const { file, path } = this.#target;
    const flushed = file.synchronize(path).catch(() => undefined);
    this.#synchronized = Promise.all([this.#synchronized, flushed]);
  }
}
