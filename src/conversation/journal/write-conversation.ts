import { headerRecord, endRecord, turnRecord } from '../library/conversation-records.ts';
import { newId } from '../library/conversation-folder.ts';
import type { Journal, JournalOptions, StorageState } from './journal.ts';
import type { JournalRecord } from './records.ts';
import { createReplay, type Replay } from './fold-journal.ts';
import { createTextBuffer } from './text-buffer.ts';
import { leafOf, type AnswerEnd, type Role, type Turn } from '../tree.ts';

/** Where the changes of a conversation go. */
export interface ConversationSink {
  write(...records: readonly JournalRecord[]): void;
  /** Begins to wait for the disk. */
  synchronize(): void;
  save(): void;
  /** `turns` is how many there are. */
  state(turns: number): StorageState;
  close(): Promise<void>;
}

export interface WritableConversation {
  readonly options: JournalOptions;
  readonly id: string;
  readonly replay: Replay;
  /** Turns whose answer may still grow. */
  readonly open: Set<string>;
  readonly sink: ConversationSink;
}

const turnIdLength = 6;

function turnOf(replay: Replay, id: string): Turn {
  const turn = replay.turn(id);
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

/** A conversation without turns; nothing of it is on disk. */
export function emptyReplay(id: string, { clock, version }: JournalOptions): Replay {
  const replay = createReplay({ id });
  replay.apply(headerRecord(id, clock.date(), version));
  return replay;
}

/** Every change goes to the replay and to the sink; what was said before it comes before it on disk. */
function createChanges(target: WritableConversation) {
  const { options, replay, open, sink } = target;
  const bufferOf = (type: 'text' | 'refusal') =>
    createTextBuffer(options.clock, (turn, text) => sink.write({ type, turn, text }));
  const buffers = { text: bufferOf('text'), refusal: bufferOf('refusal') };
  const flush = () => {
    buffers.text.flush();
    buffers.refusal.flush();
  };
  const change = (record: JournalRecord) => {
    flush();
    replay.apply(record);
    sink.write(record);
  };
  return {
    flush,
    change,
    append: (type: 'text' | 'refusal', turn: string, text: string) => {
      replay.apply({ type, turn, text });
      buffers[type].add(turn, text);
    },
    add: ({ role, content = '', model, nextModel, ...place }: Addition): Turn => {
      const parent = 'parent' in place ? place.parent : leafOf(replay.conversation())?.id;
      const id = newId(options.random, turnIdLength, (taken) => replay.turn(taken) !== undefined);
      const turn = { id, parent, role, content, createdAt: options.clock.date() };
      const own = model === undefined ? {} : { model };
      change(turnRecord({ ...turn, ...own, ...(nextModel === undefined ? {} : { nextModel }) }));
      return turnOf(replay, id);
    },
    endAnswer: (answerId: string, end: AnswerEnd): Turn => {
      open.delete(answerId);
      change(endRecord(answerId, end));
      sink.synchronize();
      return turnOf(replay, answerId);
    },
  };
}

/** The journal of a conversation. */
export function writeConversation(target: WritableConversation): Journal {
  const { replay, open, sink } = target;
  const { flush, append, change, add, endAnswer } = createChanges(target);
  const state = () => sink.state(replay.conversation().turns.size);
  return {
    conversation: () => replay.conversation(),
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
    choose: (turnId) => change({ type: 'choice', turn: turnOf(replay, turnId).id }),
    undo: (turnId) => change({ type: 'undo', turn: turnOf(replay, turnId).id }),
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
