import type { Timing } from '../../client/events.ts';
import { isJsonObject } from '../../json.ts';
import type { Conversation, ParameterChanges, Summary, Turn } from '../tree.ts';
import type {
  EndRecord,
  JournalRecord,
  ParametersRecord,
  SummaryRecord,
  TurnRecord,
} from './records.ts';

// The fields of a record that are not required may have any value: `parseLine` checks only the others.

const textIn = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** The epoch for an invalid time. */
function dateOf(text: unknown): Date {
  const value = new Date(typeof text === 'string' ? text : Number.NaN);
  return Number.isNaN(value.getTime()) ? new Date(0) : value;
}

const usageOf = ({ usage }: EndRecord | SummaryRecord) =>
  typeof usage === 'object' && usage !== null ? usage : undefined;

function timingOf({ timing }: EndRecord): Timing | undefined {
  if (typeof timing?.total_ms !== 'number') return undefined;
  const { first_text_ms: firstText, total_ms: total } = timing;
  return typeof firstText === 'number' ? { firstText, total } : { total };
}

function turnOf(record: TurnRecord, parent: string | undefined): Turn {
  return {
    id: record.id,
    parent,
    role: record.role,
    content: record.content,
    createdAt: dateOf(record.created_at),
    model: textIn(record.model),
    nextModel: textIn(record.next_model),
    profile: textIn(record.profile),
    fallbackFrom: Array.isArray(record.fallbackFrom) ? record.fallbackFrom : undefined,
    // Until its end record.
    incomplete: record.role === 'assistant' ? true : undefined,
  };
}

const endedTurn = (turn: Turn, record: EndRecord): Turn => ({
  ...turn,
  model: textIn(record.model) ?? turn.model,
  finishReason: textIn(record.finish_reason),
  usage: usageOf(record),
  timing: timingOf(record),
  incomplete: record.incomplete === true ? true : undefined,
  failure: typeof record.failure === 'string' ? record.failure : undefined,
});

const summaryOf = (record: SummaryRecord): Summary => ({
  turn: record.turn,
  after: record.after,
  content: record.content,
  createdAt: dateOf(record.created_at),
  model: textIn(record.model),
  usage: usageOf(record),
});

const parametersOf = ({ set, removed }: ParametersRecord): ParameterChanges => ({
  set: isJsonObject(set) ? set : {},
  removed: Array.isArray(removed) ? removed.filter((name) => typeof name === 'string') : [],
});

/** Builds a conversation from its records, one by one; a journal also applies each record it writes. */
export class JournalFold {
  readonly #id: string;
  readonly #turns = new Map<string, Turn>();
  readonly #selection = new Map<string | undefined, string>();
  readonly #summaries = new Map<string, Summary>();
  #createdAt: Date | undefined;
  #title: string | undefined;
  #isPinned: boolean | undefined;
  #chosenModel: string | undefined;
  #parameters: ParameterChanges | undefined;
  #lastTurn: string | undefined;
  #snapshot: Conversation | undefined;

  /** @param id from the file name; overrides the id in the records */
  constructor(id: string) {
    this.#id = id;
  }

  conversation(): Conversation {
    return (this.#snapshot ??= {
      id: this.#id,
      createdAt: this.#createdAt ?? new Date(0),
      title: this.#title,
      isPinned: this.#isPinned,
      chosenModel: this.#chosenModel,
      turns: new Map(this.#turns),
      selection: new Map(this.#selection),
      parameters: this.#parameters,
      summaries: this.#summaries.size === 0 ? undefined : new Map(this.#summaries),
    });
  }

  apply(record: JournalRecord): void {
    this.#snapshot = undefined;
    switch (record.type) {
      case 'conversation':
        this.#createdAt = dateOf(record.created_at);
        return;
      case 'turn':
        this.#addTurn(record);
        return;
      case 'text':
        this.#addText('content', record.turn, record.text);
        return;
      case 'refusal':
      case 'thought':
        this.#addText(record.type, record.turn, record.text);
        return;
      case 'end': {
        const turn = this.#turns.get(record.turn);
        if (turn !== undefined) this.#turns.set(turn.id, endedTurn(turn, record));
        return;
      }
      case 'choice':
      case 'undo': {
        const turn = this.#turns.get(record.turn);
        if (turn === undefined) return;
        if (record.type === 'choice') this.#selection.set(turn.parent, turn.id);
        else this.#selection.delete(turn.parent);
        return;
      }
      case 'title':
        this.#title = record.title;
        return;
      case 'pin':
        this.#isPinned = record.pinned === true;
        return;
      case 'model':
        this.#chosenModel = record.model;
        return;
      case 'summary':
        if (record.content === '') this.#summaries.delete(record.turn);
        else this.#summaries.set(record.turn, summaryOf(record));
        return;
      case 'parameters':
        this.#parameters = parametersOf(record);
    }
  }

  /** @param isOrphan its line was lost, and with it the name of its parent */
  #addTurn(record: TurnRecord, isOrphan = false): void {
    if (this.#turns.has(record.id)) return;
    const named = record.parent ?? undefined;
    // A turn whose parent's line was lost follows the turn before it.
    const isLost = isOrphan || (named !== undefined && !this.#turns.has(named));
    const turn = turnOf(record, isLost ? this.#lastTurn : named);
    this.#turns.set(turn.id, turn);
    this.#selection.set(turn.parent, turn.id);
    this.#createdAt ??= turn.createdAt;
    if (turn.role === 'assistant') this.#chosenModel = undefined;
    this.#lastTurn = turn.id;
  }

  #addText(field: 'content' | 'refusal' | 'thought', id: string, text: string): void {
    if (!this.#turns.has(id)) {
      const answer = { parent: null, role: 'assistant', content: '', created_at: '' } as const;
      this.#addTurn({ type: 'turn', id, ...answer }, true);
    }
    const turn = this.#turns.get(id);
    if (turn !== undefined) this.#turns.set(id, { ...turn, [field]: (turn[field] ?? '') + text });
  }
}
