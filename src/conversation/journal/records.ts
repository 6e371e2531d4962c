import type { Usage } from '../../client/contract.ts';
import type { FailureKind } from '../../failure.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../json.ts';
import type { Role } from '../tree.ts';

/** Of the format; records of a type this natter does not know are skipped, not refused. */
export const journalVersion = 1;

/** Opens every file. */
interface HeaderRecord {
  readonly type: 'conversation';
  readonly version: number;
  readonly id: string;
  /** ISO 8601, as all times. */
  readonly created_at: string;
  /** The natter that made it. */
  readonly natter?: string;
}

/** A turn; the content of an answer follows in {@link TextRecord}s, its refusal in {@link RefusalRecord}s. */
export interface TurnRecord {
  readonly type: 'turn';
  readonly id: string;
  readonly parent: string | null;
  readonly role: Role;
  readonly content: string;
  readonly created_at: string;
  readonly model?: string;
  readonly next_model?: string;
}

/** More text of an answer. */
interface TextRecord {
  readonly type: 'text';
  readonly turn: string;
  readonly text: string;
}

/** More of a refusal that the service sends apart from the text. */
interface RefusalRecord {
  readonly type: 'refusal';
  readonly turn: string;
  readonly text: string;
}

/** An answer is over. An answer without one was cut by natter's own end. */
export interface EndRecord {
  readonly type: 'end';
  readonly turn: string;
  readonly model?: string | undefined;
  readonly finish_reason?: string | undefined;
  readonly usage?: Usage | undefined;
  /** Whole milliseconds. */
  readonly timing?: { readonly first_text_ms?: number; readonly total_ms?: number } | undefined;
  readonly incomplete?: true | undefined;
  readonly failure?: FailureKind | undefined;
}

interface TitleRecord {
  readonly type: 'title';
  readonly title: string;
}

/** Selects a turn among its siblings. */
interface ChoiceRecord {
  readonly type: 'choice';
  readonly turn: string;
}

/** The turn, and what follows it, is left out: the conversation ends before it until another turn is selected. */
interface UndoRecord {
  readonly type: 'undo';
  readonly turn: string;
}

/** One line of a journal. */
export type JournalRecord =
  | HeaderRecord
  | TurnRecord
  | TextRecord
  | RefusalRecord
  | EndRecord
  | TitleRecord
  | ChoiceRecord
  | UndoRecord;

/** The texts a record of each type cannot do without. */
const textFields: Readonly<Record<JournalRecord['type'], readonly string[]>> = {
  conversation: ['id'],
  turn: ['id', 'role', 'content'],
  text: ['turn', 'text'],
  refusal: ['turn', 'text'],
  end: ['turn'],
  title: ['title'],
  choice: ['turn'],
  undo: ['turn'],
};

const roles: ReadonlySet<unknown> = new Set<Role>(['system', 'user', 'assistant']);

/** A line of a journal as text, its end included. */
export function formatRecord(record: JournalRecord): string {
  return `${JSON.stringify(record)}\n`;
}

function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

/** What a torn line was glued to is whole: records begin the same way. */
function parseTail(line: string): JsonObject | undefined {
  const start = line.lastIndexOf('{"type":"');
  return start > 0 ? parseObject(line.slice(start)) : undefined;
}

function isKnown(object: JsonObject): boolean {
  const { type } = object;
  if (typeof type !== 'string' || !Object.hasOwn(textFields, type)) return false;
  const fields = textFields[type as JournalRecord['type']];
  if (fields.some((name) => typeof object[name] !== 'string')) return false;
  return type !== 'turn' || roles.has(object['role']);
}

/** What a line held: `foreign` is sound but of a type unknown here; `lost` counts lines that cost something. */
export interface ParsedLine {
  readonly record?: JournalRecord;
  readonly kind: 'record' | 'blank' | 'foreign' | 'lost';
}

/** How {@link formatRecord} begins a line of text. */
const textType = '{"type":"text",';
const textStart = `${textType}"turn":"`;
const textMiddle = '","text":"';
const textEnd = '"}';

/** Whether a line is text of an answer, told by its beginning alone. */
export function isTextLine(line: string): boolean {
  return line.startsWith(textType);
}

/**
 * Most of a journal is text of answers, and a line of it without escapes is read four times as fast by its
 * places as by JSON. Undefined for any other line.
 */
function sliceText(line: string): TextRecord | undefined {
  if (!line.startsWith(textStart) || !line.endsWith(textEnd) || line.includes('\\'))
    return undefined;
  const middle = line.indexOf(textMiddle, textStart.length);
  if (middle < 0) return undefined;
  const turn = line.slice(textStart.length, middle);
  const text = line.slice(middle + textMiddle.length, -textEnd.length);
  const isPlain = !text.includes('"') && !turn.includes('"') && !line.includes('\0');
  return isPlain ? { type: 'text', turn, text } : undefined;
}

/**
 * Reads one line. NUL bytes (left where a machine lost power), a byte order mark and CR do no harm; a torn record
 * costs itself alone, even when another was glued to it.
 */
export function parseLine(line: string): ParsedLine {
  const record = sliceText(line);
  if (record !== undefined) return { kind: 'record', record };
  const text = (line.includes('\0') ? line.replaceAll('\0', '') : line)
    .replace(/^\uFEFF/, '')
    .trim();
  if (text === '') return { kind: line.includes('\0') ? 'lost' : 'blank' };
  const whole = parseObject(text);
  const object = whole ?? parseTail(text);
  if (object === undefined) return { kind: 'lost' };
  // The type was checked just now; fields beyond the checked ones are read with care.
  if (isKnown(object)) {
    const kind = whole === undefined ? 'lost' : 'record';
    return { kind, record: object as unknown as JournalRecord };
  }
  const isForeign =
    typeof object['type'] === 'string' && !Object.hasOwn(textFields, object['type']);
  return { kind: isForeign && whole !== undefined ? 'foreign' : 'lost' };
}
