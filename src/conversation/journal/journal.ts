import type { ProgramClock } from '../../clock.ts';
import type { Failure } from '../../failure.ts';
import type { ProcessFacts } from '../../storage/lock/process-facts.ts';
import { newId } from '../library/conversation-folder.ts';
import {
  leafOf,
  type AnswerEnd,
  type Conversation,
  type ParameterChanges,
  type PassedModel,
  type Role,
  type Summary,
  type Turn,
} from '../tree.ts';
import { createDeltaCoalescer } from './delta-coalescer.ts';
import { createFold, type JournalFold } from './fold-journal.ts';
import type { DeltaRecord, JournalRecord } from './records.ts';
import { endRecord, headerRecord, recordsOf, summaryRecord, turnRecord } from './turn-records.ts';

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
  /** Masks secrets in what is written; the conversation in memory and the requests keep them. */
  readonly mask?: (text: string) => string;
  /** One sentence; called for the first failed write, and for the first one after a successful write. */
  readonly onWarning: (text: string, subject?: 'storage') => void;
}

interface NewTurn {
  readonly role: 'user' | 'system';
  readonly content: string;
  /** Default: the leaf. An edited turn has the parent of its original; undefined starts a new first turn. */
  readonly parent?: string | undefined;
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

interface StorageState {
  readonly isStored: boolean;
  /** Turns not completely on disk. */
  readonly unsavedTurns: number;
  /** The file, which may not exist yet; undefined if nothing is stored. */
  readonly path: string | undefined;
  /** Why the last write failed. */
  readonly failure: Failure | undefined;
}

/**
 * One conversation, open for writing. Every change is appended to its file before the call returns. A failed
 * write never throws here: `onWarning` reports it once, and a later change writes what is missing. Nothing is created
 * on disk before the first turn.
 */
export interface Journal {
  /** Includes the text so far of an answer that is streaming. Cheap when nothing changed since the last call. */
  conversation(): Conversation;
  /** Adds a turn and selects it. It is on disk when this returns, before the request is sent. */
  addTurn(turn: NewTurn): Turn;
  /** Adds an answer and selects it; for its first delta, or for a failure without one. */
  startAnswer(answer: NewAnswer): Turn;
  /** Adds a delta of a started answer. Written at least twice a second. */
  appendText(answerId: string, text: string): void;
  /** Adds a delta of a refusal that the service sends apart from the text; written like text. */
  appendRefusal(answerId: string, text: string): void;
  /** Adds reasoning that the service sends at the start of the text, with its tags; written like text. */
  appendThought(answerId: string, text: string): void;
  endAnswer(answerId: string, end: AnswerEnd): Turn;
  /** Selects a turn among its versions, and the path below it that was selected last. */
  select(turnId: string): void;
  /** Removes a turn and everything after it: its parent becomes the leaf. */
  undo(turnId: string): void;
  setTitle(title: string): void;
  /** The model that a resumed conversation continues with. */
  setModel(model: string): void;
  /** Fields of the request body for the next prompts. */
  setParameters(parameters: ParameterChanges): void;
  /** What the next requests have instead of the turns that it replaces. */
  setSummary(summary: Omit<Summary, 'createdAt'>): void;
  /** The turns are sent again. */
  removeSummary(turnId: string): void;
  /** Tries to write what is not on disk. */
  save(): StorageState;
  state(): StorageState;
  /** Ends open answers as incomplete, waits until everything is on disk, and releases the lock. */
  close(): Promise<void>;
}

export interface ConversationSink {
  write(...records: readonly JournalRecord[]): void;
  synchronize(): void;
  save(): void;
  /** `turns`: the number of turns in the conversation. */
  state(turns: number): StorageState;
  close(): Promise<void>;
}

/** `allRecords` returns the whole conversation, for a file that is new or was removed. */
export type OpenSink = (allRecords: () => readonly JournalRecord[]) => ConversationSink;

const turnIdLength = 6;

function turnOf(fold: JournalFold, id: string): Turn {
  const turn = fold.turn(id);
  if (turn === undefined) throw new RangeError(`there is no turn ${id}`);
  return turn;
}

interface Addition extends Partial<NewAnswer> {
  readonly role: Role;
  readonly content?: string;
}

/** A conversation without turns, not on disk. */
export function emptyFold(id: string, { clock, version }: JournalOptions): JournalFold {
  const fold = createFold({ id });
  fold.apply(headerRecord(id, clock.date(), version));
  return fold;
}

/**
 * Every change goes to the fold and to the sink. A change first flushes all collected deltas: the sink may have to write
 * the whole fold again, and deltas flushed after that would be in the file twice.
 */
function createChanges(options: JournalOptions, fold: JournalFold, openSink: OpenSink) {
  /** Answers that may still get text. */
  const open = new Set<string>();
  const deltas = createDeltaCoalescer(options.clock, (...records) => sink.write(...records));
  const sink = openSink(() => {
    const conversation = fold.conversation();
    const header = headerRecord(conversation.id, conversation.createdAt, options.version);
    return [header, ...recordsOf(conversation, (turnId) => open.has(turnId))];
  });
  const change = (record: JournalRecord) => {
    deltas.flush();
    fold.apply(record);
    sink.write(record);
  };
  return {
    open,
    sink,
    change,
    flush: () => deltas.flush(),
    append: (delta: DeltaRecord) => {
      fold.apply(delta);
      deltas.add(delta);
    },
    add: ({ content = '', ...rest }: Addition): Turn => {
      const parent = 'parent' in rest ? rest.parent : leafOf(fold.conversation())?.id;
      const id = newId(options.random, turnIdLength, (taken) => fold.turn(taken) !== undefined);
      // An undefined field is not written.
      change(turnRecord({ ...rest, id, parent, content, createdAt: options.clock.date() } as Turn));
      return turnOf(fold, id);
    },
    endAnswer: (answerId: string, end: AnswerEnd): Turn => {
      open.delete(answerId);
      change(endRecord(answerId, end));
      sink.synchronize();
      return turnOf(fold, answerId);
    },
  };
}

type ChoiceChanges = Pick<
  Journal,
  'select' | 'undo' | 'setTitle' | 'setModel' | 'setParameters' | 'setSummary' | 'removeSummary'
>;

/** Changes other than turns and their texts. */
function choiceChanges(
  { clock }: JournalOptions,
  fold: JournalFold,
  { change, sink }: Pick<ReturnType<typeof createChanges>, 'change' | 'sink'>,
): ChoiceChanges {
  return {
    select: (turnId) => change({ type: 'choice', turn: turnOf(fold, turnId).id }),
    undo: (turnId) => change({ type: 'undo', turn: turnOf(fold, turnId).id }),
    setTitle: (title) => change({ type: 'title', title }),
    setModel: (model) => change({ type: 'model', model }),
    setParameters: ({ set, removed }) => change({ type: 'parameters', set, removed }),
    setSummary(summary) {
      change(summaryRecord({ ...summary, createdAt: clock.date() }));
      sink.synchronize();
    },
    removeSummary: (turn) => change({ type: 'summary', turn, after: turn, content: '' }),
  };
}

/** The journal of the conversation in `fold`. */
export function openJournal(
  options: JournalOptions,
  fold: JournalFold,
  openSink: OpenSink,
): Journal {
  const changes = createChanges(options, fold, openSink);
  const { open, sink, flush, append, add, endAnswer } = changes;
  const state = () => sink.state(fold.conversation().turns.size);
  return {
    conversation: () => fold.conversation(),
    state,
    endAnswer,
    addTurn(turn) {
      const added = add(turn);
      sink.synchronize();
      return added;
    },
    startAnswer(answer) {
      const turn = add({ role: 'assistant', ...answer });
      open.add(turn.id);
      return turn;
    },
    appendText: (turn, text) => append({ type: 'text', turn, text }),
    appendRefusal: (turn, text) => append({ type: 'refusal', turn, text }),
    appendThought: (turn, text) => append({ type: 'thought', turn, text }),
    ...choiceChanges(options, fold, changes),
    save() {
      flush();
      sink.save();
      return state();
    },
    async close() {
      for (const answerId of open) endAnswer(answerId, { incomplete: true });
      flush();
      await sink.close();
    },
  };
}
