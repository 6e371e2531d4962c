import { dirname } from 'node:path';
import { existsSync, statSync } from 'node:fs';
import type { ProgramClock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { appendFile, endsTorn, type AppendFile } from '../../storage/append-file.ts';
import { makePrivateFolder, renameFile } from '../../storage/files.ts';
import {
  type HeldLock,
  holderText,
  holdLock,
  type ProcessFacts,
  type RefusedLock,
} from '../../storage/lock.ts';
import { errorCode, storageFailure } from '../../storage/storage-failure.ts';
import { attributeRecords, isAttribute, type Attributes } from '../attributes.ts';
import {
  conversationFile,
  dataVariable,
  lockFile,
  newId,
  idLength,
  requireDataFolder,
} from '../library/conversation-folder.ts';
import {
  pathOf,
  type AnswerEnd,
  type Conversation,
  type PassedModel,
  type Role,
  type Summary,
  type Turn,
} from '../tree.ts';
import {
  endRecord,
  headerRecord,
  maskRecord,
  recordsOf,
  summaryRecord,
  turnRecord,
  type DeltaRecord,
  JournalFold,
  type JournalRecord,
  journalVersion,
} from './records.ts';
import { loadConversation } from '../library/read-conversation.ts';

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
  /** Tests pass one that fails. */
  readonly file?: AppendFile;
}

export interface NewAnswer {
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
function takeLock(options: JournalOptions, id: string): HeldLock | RefusedLock | undefined {
  const path = lockFile(options.folder ?? '', id);
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
  /** Undefined if nothing is stored. */
  readonly #path: string | undefined;
  readonly #file: AppendFile;
  /** Answers that may still get text. */
  readonly #open = new Set<string>();
  #stopTimer: (() => void) | undefined;

  #hasBegun: boolean;
  #isTorn: boolean;
  #lock: HeldLock | undefined;
  #isShared = false;
  /** Records that are not written yet. */
  #pending: JournalRecord[] = [];
  #failure: Failure | undefined;
  #pause = 0;
  #nextTry = 0;
  #synchronized: Promise<unknown> = Promise.resolve();

  /** @param lock held for a conversation that is on disk or has a name; others take it when their file is created */
  constructor(options: JournalOptions, fold: JournalFold, isNew: boolean, lock?: HeldLock) {
    const { folder, save, file = appendFile } = options;
    const isStored = folder !== undefined && save !== false;
    this.#options = options;
    this.#fold = fold;
    this.#file = file;
    this.#path = isStored ? conversationFile(folder, fold.conversation().id) : undefined;
    this.#hasBegun = !isNew;
    // Then the next record must start a new line.
    this.#isTorn = this.#path !== undefined && !isNew && endsTorn(this.#path);
    this.#lock = lock;
    if (folder === undefined && save !== false) {
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
    if (this.#path === undefined) return;
    // One record holds many deltas.
    const isSame = (record: JournalRecord): record is DeltaRecord =>
      record.type === type && record.turn === turn;
    const before = this.#pending.findLast(isSame);
    const record = { type, turn, text: (before?.text ?? '') + text };
    if (before === undefined) this.#pending.push(record);
    else this.#pending[this.#pending.lastIndexOf(before)] = record;
    if (record.text.length > maxCollected) this.#writeAfterPause();
    else {
      this.#stopTimer ??= this.#options.clock.timer(flushInterval, () => {
        this.#stopTimer = undefined;
        this.#writeAfterPause();
      });
    }
  }

  endAnswer(answerId: string, end: AnswerEnd): Turn {
    this.#open.delete(answerId);
    this.#change(endRecord(answerId, end));
    this.#synchronize();
    return this.#turn(answerId);
  }

  /** Selects a turn among its versions, and the path below it that was selected last. */
  select(turnId: string): void {
    this.#change({ type: 'choice', turn: turnId });
  }

  /** Removes a turn and everything after it for good: its parent becomes the leaf. */
  undo(turnId: string): void {
    this.#change({ type: 'undo', turn: turnId });
  }

  set(attributes: Attributes): void {
    for (const record of attributeRecords(attributes)) this.#change(record);
  }

  /** What the next requests have instead of the turns that it replaces; with empty content, they have the turns again. */
  setSummary(summary: Omit<Summary, 'createdAt'>): void {
    this.#change(summaryRecord({ ...summary, createdAt: this.#options.clock.date() }));
    this.#synchronize();
  }

  /** Tries to write what is not on disk. */
  save() {
    this.#writePending();
    return this.state();
  }

  /** How much of it is on disk. */
  state() {
    const turns = this.#pending.flatMap((record) => {
      if (record.type === 'turn') return [record.id];
      return 'turn' in record && !isAttribute(record) ? [record.turn] : [];
    });
    return {
      isStored: this.#path !== undefined && this.#failure === undefined,
      /** Turns not completely on disk. */
      unsavedTurns: this.#path === undefined ? this.conversation().turns.size : new Set(turns).size,
      /** The file, which may not exist yet; undefined if nothing is stored. */
      path: this.#path,
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
    return this.conversation().turns.get(id) as Turn;
  }

  #allRecords(): readonly JournalRecord[] {
    const conversation = this.conversation();
    const header = headerRecord(conversation, this.#options.version);
    return [header, ...recordsOf(conversation, (turnId) => this.#open.has(turnId))];
  }

  #change(record: JournalRecord): void {
    this.#fold.apply(record);
    const isFirst = !this.#hasBegun;
    if (isFirst && record.type === 'parameters') return;
    this.#hasBegun = true;
    if (this.#path === undefined) {
      if (isFirst && this.#failure !== undefined) this.#options.onWarning(this.#failure.message);
      return;
    }
    if (isFirst) this.#pending = [...this.#allRecords()];
    else this.#pending.push(record);
    this.#writeAfterPause();
  }

  #add(addition: Partial<NewAnswer> & { readonly role: Role; readonly content: string }): Turn {
    const conversation = this.conversation();
    const parent = 'parent' in addition ? addition.parent : pathOf(conversation).at(-1)?.id;
    const { random, clock } = this.#options;
    const id = newId(random, turnIdLength, (taken) => conversation.turns.has(taken));
    this.#change(turnRecord({ ...addition, id, parent, createdAt: clock.date() }));
    return this.#turn(id);
  }

  #writeAfterPause(): void {
    const { clock, onWarning } = this.#options;
    if (clock.monotonic() >= this.#nextTry) this.#writePending();
    if (this.#isShared || this.#lock?.isKept() !== false) return;
    this.#isShared = true;
    onWarning(sharedWarning);
  }

  /** A failed write is repeated after a pause: every write costs time, and a full disk stays full for a while. */
  #writePending(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const path = this.#path;
    if (path === undefined || this.#pending.length === 0) return;
    const { clock, onWarning } = this.#options;
    try {
      this.#appendOrCreate(path);
      this.#failure = undefined;
      this.#pause = 0;
      this.#nextTry = 0;
    } catch (error) {
      this.#pause = Math.min(Math.max(this.#pause * 2, minPause), maxPause);
      this.#nextTry = clock.monotonic() + this.#pause;
      const isFirst = this.#failure === undefined;
      this.#failure = storageFailure('write', path, error, dataVariable);
      const advice = 'natter goes on without saving (NATTER_SAVE=false turns saving off)';
      if (isFirst) onWarning(`${this.#failure.message}; ${advice}`, 'storage');
    }
  }

  #appendOrCreate(path: string): void {
    try {
      this.#appendPending(path);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      // The file is new, or it was removed, or its folder.
      this.#pending = [...this.#allRecords()];
      this.#file.create(path);
      this.#isTorn = false;
      const taken = this.#lock ?? takeLock(this.#options, this.#fold.conversation().id);
      if (taken?.isHeld === true) this.#lock = taken;
      this.#appendPending(path);
    }
  }

  /** Records that are not written completely stay pending. */
  #appendPending(path: string): void {
    const { mask } = this.#options;
    const masked = mask ? this.#pending.map((one) => maskRecord(one, mask)) : this.#pending;
    const lines = masked.map((record) => Buffer.from(`${JSON.stringify(record)}\n`));
    const start = Buffer.from(this.#isTorn ? '\n' : '');
    const written = this.#file.append(path, Buffer.concat([start, ...lines]));
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
    if (this.#path === undefined || this.#failure !== undefined) return;
    const flushed = this.#file.synchronize(this.#path).catch(() => undefined);
    this.#synchronized = Promise.all([this.#synchronized, flushed]);
  }
}

/**
 * A new conversation. Never fails: see `onWarning` and `state` of {@link Journal}.
 * @param original the records of a copy's original, or the title of a named one
 * @param id free; by default a random one
 */
export function createJournal(
  options: JournalOptions,
  original: Iterable<JournalRecord> = [],
  id?: string,
  lock?: HeldLock,
): Journal {
  const { folder, random, save, clock, version, startedIn } = options;
  const isTaken = (taken: string) =>
    folder !== undefined && save !== false && existsSync(conversationFile(folder, taken));
  const own = id ?? newId(random, idLength, isTaken);
  const fold = new JournalFold(own);
  fold.apply(headerRecord({ id: own, createdAt: clock.date(), folder: startedIn }, version));
  for (const record of original) fold.apply(record);
  return new Journal(options, fold, true, lock);
}

/**
 * Starts a conversation with a title.
 * @param id the free one that `findTitled` returned
 * @returns undefined if another natter has started it since then
 * @throws Failure `storage` if another natter has it open
 */
export function startTitledJournal(
  options: JournalOptions & { readonly folder: string },
  title: string,
  id: string,
): Journal | undefined {
  const lock = takeLock(options, id);
  if (lock?.isHeld === false) {
    throw lockedFailure(id, lock, 'wait for it, or choose a different name');
  }
  if (existsSync(conversationFile(options.folder, id))) {
    lock?.release();
    return undefined;
  }
  return createJournal(options, attributeRecords({ title }), id, lock);
}

/** A copy of a conversation; the original may be open elsewhere. @throws Failure `storage` */
export function branchJournal(options: JournalOptions, id: string): Journal {
  const path = conversationFile(requireDataFolder(options.folder), id);
  const { fold, warning } = loadConversation(path, id);
  if (warning !== undefined) options.onWarning(warning);
  return createJournal(options, recordsOf(fold.conversation()));
}

/** The failure for a conversation that is open in another process. */
export function lockedFailure(id: string, lock: RefusedLock, hint: string): Failure {
  const time = `${lock.since.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const message = `conversation ${id} is open in another natter${holderText(lock)} since ${time}`;
  return new Failure('storage', message, { hint });
}

/**
 * Opens a conversation to continue it.
 * @returns the failure while it is open elsewhere, where it can still be branched
 * @throws Failure `storage` if its file cannot be read, has no readable record, or has a newer format
 */
export function resumeJournal(options: JournalOptions, id: string): Journal | Failure {
  const path = conversationFile(requireDataFolder(options.folder), id);
  const lock = takeLock(options, id);
  if (lock?.isHeld === false) {
    const hint = `wait for it, or continue in a copy: ‹natter --resume ${id} --branch›`;
    return lockedFailure(id, lock, hint);
  }
  try {
    const loaded = loadConversation(path, id);
    if (loaded.version > journalVersion) {
      throw new Failure('storage', `conversation ${id} was written by a newer natter`, {
        hint: 'update natter, or read it with ‹natter conversations show›',
      });
    }
    if (loaded.records === 0 && statSync(path).size > 0) {
      const aside = `${path}.unreadable`;
      renameFile(path, aside);
      throw new Failure('storage', `conversation ${id} has no readable records`, {
        hint: `its file was renamed to ${aside}`,
      });
    }
    if (loaded.warning !== undefined) options.onWarning(loaded.warning);
    if (options.save === false) lock?.release();
    return new Journal(options, loaded.fold, false, lock);
  } catch (error) {
    lock?.release();
    throw error instanceof Failure ? error : storageFailure('write', path, error, dataVariable);
  }
}
