import type { Usage } from '../../client/contract.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../json.ts';
import { maskValue } from '../../secrets/mask.ts';
import {
  attributeRecords,
  isAttribute,
  readAttribute,
  type AttributeRecord,
  type Attributes,
} from '../attributes.ts';
import type { AnswerEnd, Conversation, Role, Summary, Turn } from '../tree.ts';

/** Version of the format; records of an unknown type are skipped. */
export const journalVersion = 1;

/** More text of an answer, more of a refusal that the service sends apart from the text, or more of its reasoning. */
export interface DeltaRecord {
  readonly type: 'text' | 'refusal' | 'thought';
  readonly turn: string;
  readonly text: string;
}

/** Times are ISO 8601. */
export type JournalRecord =
  | ReturnType<typeof headerRecord>
  | ReturnType<typeof turnRecord>
  | DeltaRecord
  | ReturnType<typeof endRecord>
  /** Selects a turn among its versions. An empty `turn`, in a copy, selects none of those after `parent`. */
  | { readonly type: 'choice'; readonly turn: string; readonly parent?: string | null }
  /** Removes a turn and everything after it for good. */
  | { readonly type: 'undo'; readonly turn: string }
  | ReturnType<typeof summaryRecord>
  | AttributeRecord;

/** Makes the first record of every file; `natter` is the version that created it, `folder` where it was started. */
export function headerRecord(
  { id, createdAt, folder }: Pick<Conversation, 'id' | 'createdAt' | 'folder'>,
  natter: string,
) {
  return {
    type: 'conversation' as const,
    version: journalVersion as number,
    id,
    created_at: createdAt.toISOString(),
    natter,
    folder,
  };
}

/** Makes the record of a turn; the text and the refusal of an answer follow in {@link DeltaRecord}s. */
export function turnRecord(turn: Turn) {
  return {
    type: 'turn' as const,
    id: turn.id,
    parent: turn.parent ?? null,
    role: turn.role,
    content: turn.content,
    created_at: turn.createdAt.toISOString(),
    model: turn.model,
    next_model: turn.nextModel,
    profile: turn.profile,
    fallbackFrom: turn.fallbackFrom,
  };
}

const rounded = (time: number | undefined) => (time === undefined ? undefined : Math.round(time));

/** Makes the record of the end of an answer. An answer without it was cut when natter ended. */
export function endRecord(turnId: string, end: AnswerEnd) {
  const { timing } = end;
  return {
    type: 'end' as const,
    turn: turnId,
    model: end.model,
    finish_reason: end.finishReason,
    usage: end.usage,
    timing: timing && {
      first_text_ms: rounded(timing.firstText),
      total_ms: Math.round(timing.total),
    },
    incomplete: end.incomplete === true || undefined,
    failure: end.failure,
  };
}

/** Makes the record of what is sent instead of the turns up to `turn`; empty `content` removes that summary. */
export function summaryRecord({ createdAt, ...summary }: Summary) {
  return { type: 'summary' as const, created_at: createdAt.toISOString(), ...summary };
}

/** All records of a conversation, for a copy or a removed file; open answers get no end. */
export function* recordsOf(
  conversation: Conversation,
  isOpen = (_turnId: string) => false,
): Generator<JournalRecord, void> {
  const newest = new Map<string | undefined, string>();
  for (const turn of conversation.turns.values()) {
    const { id, thought, refusal } = turn;
    newest.set(turn.parent, id);
    yield turnRecord(turn);
    if (thought !== undefined) yield { type: 'thought', turn: id, text: thought };
    if (refusal !== undefined) yield { type: 'refusal', turn: id, text: refusal };
    if (turn.role === 'assistant' && !isOpen(id)) yield endRecord(id, turn);
  }
  yield* attributeRecords(conversation);
  for (const [parent, turn] of newest) {
    const selected = conversation.selection.get(parent);
    if (selected === undefined) yield { type: 'choice', turn: '', parent: parent ?? null };
    else if (selected !== turn) yield { type: 'choice', turn: selected };
  }
  for (const [, summary] of conversation.summaries ?? []) yield summaryRecord(summary);
}

/** The required text fields of each type; an attribute checks its own. */
const textFields: Readonly<
  Record<Exclude<JournalRecord['type'], keyof Attributes>, readonly string[]>
> = {
  conversation: ['id'],
  turn: ['id', 'role', 'content'],
  text: ['turn', 'text'],
  refusal: ['turn', 'text'],
  thought: ['turn', 'text'],
  end: ['turn'],
  choice: ['turn'],
  undo: ['turn'],
  summary: ['turn', 'after', 'content'],
};

const roles: ReadonlySet<unknown> = new Set<Role>(['system', 'user', 'assistant']);

function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

const isForeign = ({ type }: JsonObject) =>
  typeof type === 'string' && !isAttribute({ type }) && !Object.hasOwn(textFields, type);

/** Only the fields of `textFields` and of attributes are checked: the fold checks the others. */
function isRecord(object: JsonObject): object is JsonObject & JournalRecord {
  if (isAttribute(object)) return readAttribute(object) !== undefined;
  const { type, role } = object;
  if (typeof type !== 'string' || isForeign(object)) return false;
  const fields = textFields[type as keyof typeof textFields];
  const areTexts = fields.every((name) => typeof object[name] === 'string');
  return areTexts && (type !== 'turn' || roles.has(role));
}

/**
 * Ignores a byte order mark and CR. A torn record loses only itself, not the next one. A record of an unknown type is
 * not lost: a newer version wrote it.
 */
export function parseLine(line: string) {
  const text = line.replace(/^\uFEFF/, '').trim();
  if (text === '') return { isLost: false };
  const whole = parseObject(text);
  // The record after a torn one on the same line: every record starts the same way.
  const start = whole === undefined ? text.lastIndexOf('{"type":"') : 0;
  const object = whole ?? (start > 0 ? parseObject(text.slice(start)) : undefined);
  const record: JournalRecord | undefined = object && isRecord(object) ? object : undefined;
  return { record, isLost: whole === undefined || (record === undefined && !isForeign(whole)) };
}

export function maskRecord(record: JournalRecord, mask: (text: string) => string): JournalRecord {
  if (isAttribute(record)) return maskValue(record, mask);
  if ('content' in record) return { ...record, content: mask(record.content) };
  return 'text' in record ? { ...record, text: mask(record.text) } : record;
}

// Makes a conversation of records. The fields that are not in `textFields` may have any value.

const textIn = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** The epoch for an invalid time. */
function dateOf(text: unknown): Date {
  const value = new Date(typeof text === 'string' ? text : Number.NaN);
  return Number.isNaN(value.getTime()) ? new Date(0) : value;
}

const usageOf = ({ usage }: { usage?: Usage | undefined }) =>
  typeof usage === 'object' && usage !== null ? usage : undefined;

/** Builds a conversation from its records, one by one; a journal also applies each record it writes. */
export class JournalFold {
  readonly #id: string;
  readonly #turns = new Map<string, Turn>();
  readonly #selection = new Map<string | undefined, string>();
  readonly #summaries = new Map<string, Summary>();
  #createdAt: Date | undefined;
  #folder: string | undefined;
  #attributes: Attributes = {};
  #lastTurn: string | undefined;
  /** The parents of turns whose parent's line was lost or not read, if the turn names it. */
  readonly #lostParents = new Map<string, string | undefined>();
  #snapshot: Conversation | undefined;

  /** @param id from the file name; overrides the id in the records */
  constructor(id: string) {
    this.#id = id;
  }

  conversation(): Conversation {
    return (this.#snapshot ??= {
      id: this.#id,
      createdAt: this.#createdAt ?? new Date(0),
      folder: this.#folder,
      ...this.#attributes,
      turns: new Map(this.#turns),
      selection: new Map(this.#selection),
      summaries: this.#summaries.size === 0 ? undefined : new Map(this.#summaries),
    });
  }

  apply(record: JournalRecord): void {
    this.#snapshot = undefined;
    if (isAttribute(record)) {
      this.#attributes = { ...this.#attributes, ...readAttribute(record) };
      return;
    }
    switch (record.type) {
      case 'conversation':
        this.#createdAt = dateOf(record.created_at);
        this.#folder = textIn(record.folder);
        return;
      case 'turn':
        this.#addTurn(record);
        return;
      case 'text':
      case 'refusal':
      case 'thought':
        this.#addText(record);
        return;
      case 'end': {
        const turn = this.#turns.get(record.turn);
        if (turn === undefined) return;
        const { first_text_ms: firstText, total_ms: total } = record.timing ?? {};
        const times = typeof firstText === 'number' ? { firstText } : {};
        this.#turns.set(turn.id, {
          ...turn,
          model: textIn(record.model) ?? turn.model,
          finishReason: textIn(record.finish_reason),
          usage: usageOf(record),
          timing: typeof total === 'number' ? { ...times, total } : undefined,
          incomplete: record.incomplete === true ? true : undefined,
          failure: typeof record.failure === 'string' ? record.failure : undefined,
        });
        return;
      }
      case 'choice': {
        const turn = this.#turns.get(record.turn);
        if (turn !== undefined) this.#selection.set(turn.parent, turn.id);
        else if (record.turn === '') this.#selection.delete(record.parent ?? undefined);
        return;
      }
      case 'undo':
        this.#remove(record.turn);
        return;
      case 'summary':
        if (record.content === '') this.#summaries.delete(record.turn);
        else {
          this.#summaries.set(record.turn, {
            turn: record.turn,
            after: record.after,
            content: record.content,
            createdAt: dateOf(record.created_at),
            model: textIn(record.model),
            usage: usageOf(record),
          });
        }
        return;
    }
  }

  /** @param isOrphan its line was lost, and with it the name of its parent */
  #addTurn(record: ReturnType<typeof turnRecord>, isOrphan = false): void {
    if (this.#turns.has(record.id)) return;
    const named = record.parent ?? undefined;
    // A turn whose parent's line was lost follows the turn before it.
    const isLost = isOrphan || (named !== undefined && !this.#turns.has(named));
    if (isLost) this.#lostParents.set(record.id, named);
    const turn: Turn = {
      id: record.id,
      parent: isLost ? this.#lastTurn : named,
      role: record.role,
      content: record.content,
      createdAt: dateOf(record.created_at),
      model: textIn(record.model),
      nextModel: textIn(record.next_model),
      profile: textIn(record.profile),
      fallbackFrom: Array.isArray(record.fallbackFrom) ? record.fallbackFrom : undefined,
      // The answer whose end record has not come yet.
      incomplete: record.role === 'assistant' ? true : undefined,
    };
    this.#turns.set(turn.id, turn);
    this.#selection.set(turn.parent, turn.id);
    this.#createdAt ??= turn.createdAt;
    if (turn.role === 'assistant') this.#attributes = { ...this.#attributes, model: undefined };
    this.#lastTurn = turn.id;
  }

  /** Removes an undone turn, all turns below it, and their summaries. */
  #remove(id: string): void {
    const parent = this.#turns.get(id)?.parent;
    const removed = new Set([id]);
    if (!this.#turns.has(id)) {
      // The line of the prompt is missing, but its answer must not stay.
      for (const [child, lost] of this.#lostParents) {
        if (lost === id || (lost === undefined && child === this.#lastTurn)) removed.add(child);
      }
    }
    // A parent comes before its children.
    for (const turn of this.#turns.values()) {
      if (turn.parent !== undefined && removed.has(turn.parent)) removed.add(turn.id);
    }
    for (const [place, selected] of this.#selection) {
      if (removed.has(selected)) this.#selection.delete(place);
    }
    for (const turn of removed) {
      this.#turns.delete(turn);
      this.#summaries.delete(turn);
    }
    if (this.#lastTurn !== undefined && removed.has(this.#lastTurn)) this.#lastTurn = parent;
  }

  #addText({ type, turn: id, text }: DeltaRecord): void {
    const field = type === 'text' ? 'content' : type;
    if (!this.#turns.has(id)) {
      const answer = { parent: undefined, role: 'assistant', content: '' } as const;
      this.#addTurn(turnRecord({ id, ...answer, createdAt: new Date(0) }), true);
    }
    const turn = this.#turns.get(id);
    if (turn !== undefined) this.#turns.set(id, { ...turn, [field]: (turn[field] ?? '') + text });
  }
}
