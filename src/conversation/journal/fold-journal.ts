import type { JournalRecord, SummaryRecord, TurnRecord } from './records.ts';
import type { Conversation, ParameterChanges, Summary, Turn } from '../tree.ts';
import {
  dateOf,
  parametersFromRecord,
  summaryFromRecord,
  turnFromRecord,
  withEnd,
} from './turn-records.ts';

/** Builds a conversation from its records, one by one; a journal also applies each record it writes. */
export interface JournalFold {
  apply(record: JournalRecord): void;
  /** The turn as it is now; undefined for an unknown id. */
  turn(id: string): Turn | undefined;
  conversation(): Conversation;
}

interface State {
  readonly turns: Map<string, Turn>;
  readonly selection: Map<string | undefined, string>;
  /** Text not yet joined to the content of its turn: joining each delta separately would copy the whole text. */
  readonly texts: Map<string, string[]>;
  readonly summaries: Map<string, Summary>;
  parameters?: ParameterChanges;
  createdAt?: Date;
  title?: string;
  chosenModel?: string | undefined;
  lastTurn?: string;
}

/** Joins the collected text to the turn. */
function joinText({ turns, texts }: State, turnId: string): Turn | undefined {
  const parts = texts.get(turnId);
  const turn = turns.get(turnId);
  if (parts === undefined || turn === undefined) return turn;
  texts.delete(turnId);
  const joined = { ...turn, content: turn.content + parts.join('') };
  turns.set(turnId, joined);
  return joined;
}

function addTurn(state: State, record: TurnRecord, isOrphan = false): void {
  const { turns, selection, lastTurn } = state;
  if (turns.has(record.id)) return;
  const named = record.parent ?? undefined;
  // A turn whose parent's line was lost follows the turn before it.
  const isLost = isOrphan || (named !== undefined && !turns.has(named));
  const turn = turnFromRecord(record, isLost ? lastTurn : named);
  turns.set(turn.id, turn);
  selection.set(turn.parent, turn.id);
  state.createdAt ??= turn.createdAt;
  if (turn.role === 'assistant') state.chosenModel = undefined;
  state.lastTurn = turn.id;
}

/** Adds the turn of an answer whose first line was lost. */
function addLostTurn(state: State, id: string): void {
  if (state.turns.has(id)) return;
  const answer = { parent: null, role: 'assistant', content: '', created_at: '' } as const;
  addTurn(state, { type: 'turn', id, ...answer }, true);
}

function addText(state: State, id: string, text: string): void {
  addLostTurn(state, id);
  const parts = state.texts.get(id);
  if (parts === undefined) state.texts.set(id, [text]);
  else parts.push(text);
}

function addBesideText(state: State, field: 'refusal' | 'thought', id: string, text: string): void {
  addLostTurn(state, id);
  const turn = state.turns.get(id);
  if (turn !== undefined) state.turns.set(id, { ...turn, [field]: (turn[field] ?? '') + text });
}

function setSummary({ summaries }: State, record: SummaryRecord): void {
  if (record.content === '') summaries.delete(record.turn);
  else summaries.set(record.turn, summaryFromRecord(record));
}

/** Records that change no turn. */
function applyFact(
  state: State,
  record: JournalRecord & { readonly type: 'title' | 'model' | 'summary' | 'parameters' },
): void {
  if (record.type === 'title') state.title = record.title;
  else if (record.type === 'model') state.chosenModel = record.model;
  else if (record.type === 'summary') setSummary(state, record);
  else state.parameters = parametersFromRecord(record);
}

function applyRecord(state: State, record: JournalRecord): void {
  const { turns, selection } = state;
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
    case 'thought':
      addBesideText(state, record.type, record.turn, record.text);
      return;
    case 'end': {
      const turn = joinText(state, record.turn);
      if (turn !== undefined) turns.set(turn.id, withEnd(turn, record));
      return;
    }
    case 'choice': {
      const turn = turns.get(record.turn);
      if (turn !== undefined) selection.set(turn.parent, turn.id);
      return;
    }
    case 'undo': {
      const turn = turns.get(record.turn);
      if (turn !== undefined) selection.delete(turn.parent);
      return;
    }
    case 'title':
    case 'model':
    case 'summary':
    case 'parameters':
      applyFact(state, record);
  }
}

/** Starts with an empty conversation; `id`, from the file name, overrides the id in the records. */
export function createFold({ id }: { readonly id: string }): JournalFold {
  const state: State = {
    turns: new Map(),
    selection: new Map(),
    texts: new Map(),
    summaries: new Map(),
  };
  let snapshot: Conversation | undefined;
  return {
    apply(record) {
      snapshot = undefined;
      applyRecord(state, record);
    },
    turn: (turnId) => joinText(state, turnId),
    conversation() {
      for (const turnId of state.texts.keys()) joinText(state, turnId);
      snapshot ??= {
        id,
        createdAt: state.createdAt ?? new Date(0),
        ...(state.title === undefined ? {} : { title: state.title }),
        ...(state.chosenModel === undefined ? {} : { chosenModel: state.chosenModel }),
        turns: new Map(state.turns),
        selection: new Map(state.selection),
        ...(state.parameters === undefined ? {} : { parameters: state.parameters }),
        ...(state.summaries.size === 0 ? {} : { summaries: new Map(state.summaries) }),
      };
      return snapshot;
    },
  };
}
