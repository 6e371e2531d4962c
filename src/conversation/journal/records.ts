import type { Usage } from '../../client/contract.ts';
import type { FailureKind } from '../../failure.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../json.ts';
import type { PassedModel, Role } from '../tree.ts';

/** Version of the format; records of an unknown type are skipped. */
export const journalVersion = 1;

/** The first record of every file. */
interface HeaderRecord {
  readonly type: 'conversation';
  readonly version: number;
  readonly id: string;
  /** ISO 8601, like all times. */
  readonly created_at: string;
  /** The version of natter that created it. */
  readonly natter?: string;
}

/** A turn; the text and the refusal of an answer follow in {@link DeltaRecord}s. */
export interface TurnRecord {
  readonly type: 'turn';
  readonly id: string;
  readonly parent: string | null;
  readonly role: Role;
  readonly content: string;
  readonly created_at: string;
  readonly model?: string;
  readonly next_model?: string;
  readonly profile?: string;
  readonly fallbackFrom?: readonly PassedModel[];
}

/**
 * More text of an answer, more of a refusal that the service sends apart from the text, or reasoning at the start of
 * the text, with its tags.
 */
export interface DeltaRecord {
  readonly type: 'text' | 'refusal' | 'thought';
  readonly turn: string;
  readonly text: string;
}

/** The end of an answer. An answer without this record was cut when natter ended. */
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

/** The user has chosen the model of the next answers. */
interface ModelRecord {
  readonly type: 'model';
  readonly model: string;
}

/** Selects a turn among its versions. */
interface ChoiceRecord {
  readonly type: 'choice';
  readonly turn: string;
}

/** Removes the turn and everything after it: the conversation ends before it until a turn there is selected. */
interface UndoRecord {
  readonly type: 'undo';
  readonly turn: string;
}

/** What is sent instead of the turns up to `turn`; empty `content` removes the summary of that turn. */
export interface SummaryRecord {
  readonly type: 'summary';
  readonly turn: string;
  readonly after: string;
  readonly content: string;
  readonly created_at?: string;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
}

/** The user has changed the fields of the request body. */
export interface ParametersRecord {
  readonly type: 'parameters';
  readonly set: Readonly<Record<string, unknown>>;
  readonly removed: readonly string[];
}

export type JournalRecord =
  | HeaderRecord
  | TurnRecord
  | DeltaRecord
  | EndRecord
  | TitleRecord
  | ModelRecord
  | ChoiceRecord
  | UndoRecord
  | SummaryRecord
  | ParametersRecord;

/** The required text fields of each type. */
const textFields: Readonly<Record<JournalRecord['type'], readonly string[]>> = {
  conversation: ['id'],
  turn: ['id', 'role', 'content'],
  text: ['turn', 'text'],
  refusal: ['turn', 'text'],
  thought: ['turn', 'text'],
  end: ['turn'],
  title: ['title'],
  model: ['model'],
  choice: ['turn'],
  undo: ['turn'],
  summary: ['turn', 'after', 'content'],
  parameters: [],
};

const roles: ReadonlySet<unknown> = new Set<Role>(['system', 'user', 'assistant']);

/** A line of a journal, with its line end. */
export function formatRecord(record: JournalRecord): string {
  return `${JSON.stringify(record)}\n`;
}

function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

/** The record after a torn one on the same line: every record starts the same way. */
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

/** `foreign`: valid, but of an unknown type. `lost`: something could not be read. */
export interface ParsedLine {
  readonly record?: JournalRecord;
  readonly kind: 'record' | 'blank' | 'foreign' | 'lost';
}

/** How {@link formatRecord} starts a line of text. */
const textType = '{"type":"text",';
const textStart = `${textType}"turn":"`;
const textMiddle = '","text":"';
const textEnd = '"}';

/** Checks only the start of the line. */
export function isTextLine(line: string): boolean {
  return line.startsWith(textType);
}

/** Slicing a line without escapes is four times as fast as parsing JSON. Undefined for any other line. */
function sliceText(line: string): DeltaRecord | undefined {
  if (!line.startsWith(textStart) || !line.endsWith(textEnd) || line.includes('\\'))
    return undefined;
  const middle = line.indexOf(textMiddle, textStart.length);
  if (middle < 0) return undefined;
  const turn = line.slice(textStart.length, middle);
  const text = line.slice(middle + textMiddle.length, -textEnd.length);
  const isPlain = !text.includes('"') && !turn.includes('"') && !line.includes('\0');
  return isPlain ? { type: 'text', turn, text } : undefined;
}

/** Ignores NULs (from a power loss), a byte order mark and CR. A torn record loses only itself, not the next one. */
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
  // Only the fields of `textFields` are checked: readers check the others.
  if (isKnown(object)) {
    const kind = whole === undefined ? 'lost' : 'record';
    return { kind, record: object as unknown as JournalRecord };
  }
  const isForeign =
    typeof object['type'] === 'string' && !Object.hasOwn(textFields, object['type']);
  return { kind: isForeign && whole !== undefined ? 'foreign' : 'lost' };
}
