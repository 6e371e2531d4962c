import { startTimer } from '../../clock.ts';
import { attributeRecords, type Attributes } from '../attributes.ts';
import { newId } from '../library/conversation-folder.ts';
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
  memoryFile,
  openJournalFile,
  type FileTarget,
  type JournalFile,
  type JournalOptions,
  type StorageState,
} from './journal-file.ts';
import {
  endRecord,
  headerRecord,
  recordsOf,
  summaryRecord,
  turnRecord,
  type DeltaRecord,
  type JournalFold,
  type JournalRecord,
} from './records.ts';

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

/**
 * One conversation, open for writing. Every change is appended to its file before the call returns. A failed
 * write never throws here: `onWarning` reports it once, and a later change writes what is missing. Nothing is created
 * on disk before the first turn.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #fold: JournalFold;
  readonly #file: JournalFile;
  /** Answers that may still get text. */
  readonly #open = new Set<string>();
  /** What the next write adds to the texts of answers, so that one record holds many deltas. */
  readonly #deltas = new Map<string, DeltaRecord>();
  #collected = 0;
  #stopTimer: (() => void) | undefined;

  /** @param target undefined if nothing is stored */
  constructor(options: JournalOptions, fold: JournalFold, target: FileTarget | undefined) {
    this.#options = options;
    this.#fold = fold;
    const allRecords = () => this.#allRecords();
    this.#file =
      target === undefined
        ? memoryFile(options, allRecords)
        : openJournalFile(target, options, allRecords);
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
    this.#file.synchronize();
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
    else this.#stopTimer ??= startTimer(this.#options.clock, flushInterval, () => this.#flush());
  }

  endAnswer(answerId: string, end: AnswerEnd): Turn {
    this.#open.delete(answerId);
    this.#change(endRecord(answerId, end));
    this.#file.synchronize();
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
    this.#file.synchronize();
  }

  /** The turns are sent again. */
  removeSummary(turn: string): void {
    this.setSummary({ turn, after: turn, content: '' });
  }

  /** Tries to write what is not on disk. */
  save(): StorageState {
    this.#flush();
    this.#file.retry();
    return this.state();
  }

  state(): StorageState {
    return this.#file.state();
  }

  /** Ends open answers as incomplete, waits until everything is on disk, and releases the lock. */
  async close(): Promise<void> {
    for (const answerId of this.#open) this.endAnswer(answerId, { incomplete: true });
    this.#flush();
    await this.#file.close();
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
    this.#file.write([record]);
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
    this.#file.write(records);
  }
}
