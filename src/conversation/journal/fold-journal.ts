import type { JournalRecord, TurnRecord } from './records.ts';
import type { Conversation, Turn } from '../tree.ts';
import { begunTurn, dateOf, endedTurn } from './turn-from-record.ts';

/** Builds a conversation from its records, one by one; a journal applies what it writes the same way. */
export interface Replay {
  apply(record: JournalRecord): void;
  /** The turn as it is now; undefined for an unknown id. */
  turn(id: string): Turn | undefined;
  conversation(): Conversation;
}

interface State {
  readonly turns: Map<string, Turn>;
  readonly choices: Map<string | undefined, string>;
  /** Text that is not part of its turn's content yet: joining each piece at once would copy the whole. */
  readonly texts: Map<string, string[]>;
  createdAt?: Date;
  title?: string;
  lastTurn?: string;
}

/** The turn with all its text. */
function settle({ turns, texts }: State, turnId: string): Turn | undefined {
  const parts = texts.get(turnId);
  const turn = turns.get(turnId);
  if (parts === undefined || turn === undefined) return turn;
  texts.delete(turnId);
  const settled = { ...turn, content: turn.content + parts.join('') };
  turns.set(turnId, settled);
  return settled;
}

function addTurn(state: State, record: TurnRecord, isOrphan = false): void {
  const { turns, choices, lastTurn } = state;
  if (turns.has(record.id)) return;
  const named = record.parent ?? undefined;
  // A turn whose parent's line was lost follows what came before.
  const isLost = isOrphan || (named !== undefined && !turns.has(named));
  const turn = begunTurn(record, isLost ? lastTurn : named);
  turns.set(turn.id, turn);
  choices.set(turn.parent, turn.id);
  state.createdAt ??= turn.createdAt;
  state.lastTurn = turn.id;
}

/** The line that began the answer may be lost. */
function beginLost(state: State, id: string): void {
  if (state.turns.has(id)) return;
  const begun = { parent: null, role: 'assistant', content: '', created_at: '' } as const;
  addTurn(state, { type: 'turn', id, ...begun }, true);
}

function addText(state: State, id: string, text: string): void {
  beginLost(state, id);
  const parts = state.texts.get(id);
  if (parts === undefined) state.texts.set(id, [text]);
  else parts.push(text);
}

function addRefusal(state: State, id: string, text: string): void {
  beginLost(state, id);
  const turn = state.turns.get(id);
  if (turn !== undefined) state.turns.set(id, { ...turn, refusal: (turn.refusal ?? '') + text });
}

function applyRecord(state: State, record: JournalRecord): void {
  const { turns, choices } = state;
  switch (record.type) {
    case 'conversation':
      state.createdAt = dateOf(record.created_at);
      return;
    case 'turn':
      addTurn(state, record);
      return;
    case 'text':
      addText(state, record.turn, record.text);
      return;
    case 'refusal':
      addRefusal(state, record.turn, record.text);
      return;
    case 'end': {
      const turn = settle(state, record.turn);
      if (turn !== undefined) turns.set(turn.id, endedTurn(turn, record));
      return;
    }
    case 'title':
      state.title = record.title;
      return;
    case 'choice': {
      const turn = turns.get(record.turn);
      if (turn !== undefined) choices.set(turn.parent, turn.id);
      return;
    }
    case 'undo': {
      const turn = turns.get(record.turn);
      if (turn !== undefined) choices.delete(turn.parent);
    }
  }
}

/** An empty conversation; its id is its file's, whatever the records say. */
export function createReplay({ id }: { readonly id: string }): Replay {
  const state: State = { turns: new Map(), choices: new Map(), texts: new Map() };
  let snapshot: Conversation | undefined;
  return {
    apply(record) {
      snapshot = undefined;
      applyRecord(state, record);
    },
    turn: (turnId) => settle(state, turnId),
    conversation() {
      for (const turnId of state.texts.keys()) settle(state, turnId);
      snapshot ??= {
        id,
        createdAt: state.createdAt ?? new Date(0),
        ...(state.title === undefined ? {} : { title: state.title }),
        turns: new Map(state.turns),
        choices: new Map(state.choices),
      };
      return snapshot;
    },
  };
}
