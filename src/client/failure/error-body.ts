import { isJsonObject, type JsonObject, parseAnyJson } from '../../json.ts';
import { pageTitle } from './page-title.ts';
import { type Mask, shortText, unmasked } from './short-text.ts';

/** What a service said about an error; empty where it said nothing that can be read. */
export interface ErrorBody {
  /** Machine-readable name, such as `rate_limited`: the most specific one the body holds. */
  readonly name?: string;
  /** All machine-readable names, the most specific first. */
  readonly names: readonly string[];
  /** HTTP status that the body itself states, in whatever field. */
  readonly status?: number;
  /** One line of at most 500 characters; not sanitized. */
  readonly message?: string;
}

const nothing: ErrorBody = { names: [] };
const nameFields = ['name', 'code', 'status', 'type', 'error', 'error_code', 'errorCode'];
const statusFields = ['status', 'code', 'status_code', 'statusCode', 'error_code'];
const messageFields = [
  'message',
  'detail',
  'details',
  'msg',
  'error_description',
  'description',
  'error_message',
  'reason',
  'title',
  'error',
  'errors',
];

/** Error bodies nest an error in an error rarely, and never deeper than this. */
const deepest = 4;
const mostMessages = 3;

const namePattern = /^[a-z][\w.-]{0,63}$/i;
const emptyNames = new Set(['error', 'fail', 'failed', 'failure']);

function readName(value: unknown): string | undefined {
  if (typeof value !== 'string' || !namePattern.test(value)) return undefined;
  return emptyNames.has(value.toLowerCase()) ? undefined : value;
}

function readStatus(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) return undefined;
  return number >= 400 && number <= 599 ? number : undefined;
}

function firstOf<T>(
  record: JsonObject,
  fields: readonly string[],
  read: (value: unknown) => T | undefined,
): T | undefined {
  for (const field of fields) {
    const value = read(record[field]);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** `[{loc: ['body', 'messages'], msg: 'Field required'}]`, as FastAPI reports what a request lacks. */
function located(record: JsonObject, message: string): string {
  const place: unknown = record['loc'];
  if (!Array.isArray(place)) return message;
  // Only what may name a place: to join lists in lists overflows the stack.
  const names = place.filter((name) => typeof name === 'string' || typeof name === 'number');
  return `${names.join('.')}: ${message}`;
}

function readMessage(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (depth >= deepest) return undefined;
  if (Array.isArray(value)) {
    const messages = value.slice(0, mostMessages).map((item) => readMessage(item, depth + 1));
    const found = messages.filter((message) => message !== undefined);
    return found.length === 0 ? undefined : found.join('; ');
  }
  if (!isJsonObject(value)) return undefined;
  const message = firstOf(value, messageFields, (field) => readMessage(field, depth + 1));
  return message === undefined ? undefined : located(value, message);
}

/** The records that may hold names and numbers, innermost first: an `error` inside says more than its wrapper. */
function layers(value: unknown, depth = 0): JsonObject[] {
  if (depth >= deepest) return [];
  if (Array.isArray(value)) return layers(value[0], depth + 1);
  if (!isJsonObject(value)) return [];
  const inner = ['error', 'errors', 'detail'].flatMap((field) => layers(value[field], depth + 1));
  return [...inner, value];
}

/** Reads an error from parsed JSON of any shape: `{error: {…}}`, flat, a string, a list, numeric codes. */
export function readErrorValue(value: unknown, mask: Mask = unmasked): ErrorBody {
  const records = layers(value);
  const names = records.flatMap((record) =>
    nameFields.map((field) => readName(record[field])).filter((name) => name !== undefined),
  );
  const [name] = names;
  const status = records
    .map((record) => firstOf(record, statusFields, readStatus))
    .find((found) => found !== undefined);
  const message = readMessage(value);
  return {
    names: [...new Set(names)],
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
    ...(message !== undefined && { message: shortText(message, mask) }),
  };
}

/**
 * Reads the body of a failed request: JSON of any shape, an HTML page (its title), or plain text. `contentType`
 * decides only where the text does not show what it is. Never throws.
 */
export function parseErrorBody(
  text: string,
  contentType?: string,
  mask: Mask = unmasked,
): ErrorBody {
  const start = text.trimStart();
  if (start === '') return nothing;
  if (start.startsWith('<') || contentType?.toLowerCase().includes('html') === true) {
    const title = pageTitle(start);
    return title === undefined ? nothing : { names: [], message: shortText(title, mask) };
  }
  const value = parseAnyJson(start);
  if (value !== undefined) return readErrorValue(value, mask);
  // Broken JSON is a dump, not a message.
  return /^[{["]/.test(start) ? nothing : { names: [], message: shortText(start, mask) };
}
