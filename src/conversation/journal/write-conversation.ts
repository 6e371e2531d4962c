import { headerRecord, endRecord, turnRecord } from './turn-records.ts';
import { newId } from '../library/conversation-folder.ts';
import type { Journal, JournalOptions, StorageState } from './journal.ts';
import type { JournalRecord } from './records.ts';
import { createFold, type JournalFold } from './fold-journal.ts';
import { createTextBuffer } from './delta-coalescer.ts';
import { leafOf, type AnswerEnd, type Role, type Turn } from '../tree.ts';

/** Where the changes of a conversation go. */
export interface ConversationSink {
  write(...records: readonly JournalRecord[]): void;
  /** Starts to flush to the disk. */
  synchronize(): void;
  save(): void;
  /** `turns`: the number of turns in the conversation. */
  state(turns: number): StorageState;
  close(): Promise<void>;
}

export interface WritableConversation {
  readonly options: JournalOptions;
  readonly id: string;
  readonly fold: JournalFold;
  /** Answers that may still get text. */
  readonly open: Set<string>;
  readonly sink: ConversationSink;
}

const turnIdLength = 6;

function turnOf(fold: JournalFold, id: string): Turn {
  const turn = fold.turn(id);
  if (turn === undefined) throw new RangeError(`there is no turn ${id}`);
  return turn;
}

interface Addition {
  readonly role: Role;
  readonly content?: string;
  readonly model?: string;
  readonly nextModel?: string | undefined;
  readonly parent?: string | undefined;
}

/** A conversation without turns, not on disk. */
export function emptyFold(id: string, { clock, version }: JournalOptions): JournalFold {
  const fold = createFold({ id });
  fold.apply(headerRecord(id, clock.date(), version));
  return fold;
}

/** Every change goes to the fold and to the sink; text collected before a change is on disk before it. */
function createChanges(target: WritableConversation) {
  const { options, fold, open, sink } = target;
  const bufferOf = (type: 'text' | 'refusal') =>
    createTextBuffer(options.clock, (turn, text) => sink.write({ type, turn, text }));
  const buffers = { text: bufferOf('text'), refusal: bufferOf('refusal') };
  const flush = () => {
    buffers.text.flush();
    buffers.refusal.flush();
  };
  const change = (record: JournalRecord) => {
    flush();
    fold.apply(record);
    sink.write(record);
  };
  return {
    flush,
    change,
    append: (type: 'text' | 'refusal', turn: string, text: string) => {
      fold.apply({ type, turn, text });
      buffers[type].add(turn, text);
    },
    add: ({ role, content = '', model, nextModel, ...place }: Addition): Turn => {
      const parent = 'parent' in place ? place.parent : leafOf(fold.conversation())?.id;
      const id = newId(options.random, turnIdLength, (taken) => fold.turn(taken) !== undefined);
      const turn = { id, parent, role, content, createdAt: options.clock.date() };
      const own = model === undefined ? {} : { model };
      change(turnRecord({ ...turn, ...own, ...(nextModel === undefined ? {} : { nextModel }) }));
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

export function writeConversation(target: WritableConversation): Journal {
  const { fold, open, sink } = target;
  const { flush, append, change, add, endAnswer } = createChanges(target);
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
    appendText: (answerId, text) => append('text', answerId, text),
    appendRefusal: (answerId, text) => append('refusal', answerId, text),
    choose: (turnId) => change({ type: 'choice', turn: turnOf(fold, turnId).id }),
    undo: (turnId) => change({ type: 'undo', turn: turnOf(fold, turnId).id }),
    setTitle: (title) => change({ type: 'title', title }),
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
