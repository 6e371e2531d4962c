// The format of recordings, and their reader: JSON lines, the first one a header, then one for each event of an exchange.
import { isUtf8 } from 'node:buffer';
import type { HttpRequest } from '../client/http/transport.ts';
import { exitCodes, Failure, type FailureKind, type Remedy } from '../failure.ts';
import { isJsonObject, type JsonObject, parseJson } from '../json.ts';
import { maskValue } from '../secrets/mask.ts';
import { readLines } from '../storage/read-lines.ts';
import { failureReason } from '../storage/storage-failure.ts';

const formatVersion = 1;
const formatName = 'natter-recording';

/** What is recorded of a request, and compared in a replay: `path` from `/v1/` on, `body` as parsed JSON. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** A repeated header has a list of values. */
export type RecordedHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * `stopped`: natter stopped reading, because it had the answer or was interrupted. `failure`: instead of a response, or
 * of the rest of one; the code of its remedy may be from a newer natter.
 */
export type RecordedEvent =
  | ({ readonly type: 'request'; readonly date: string } & RecordedRequest)
  | { readonly type: 'response'; readonly status: number; readonly headers: RecordedHeaders }
  | { readonly type: 'bytes'; readonly text: string }
  | { readonly type: 'bytes'; readonly base64: string }
  | { readonly type: 'end' }
  | { readonly type: 'stopped' }
  | {
      readonly type: 'failure';
      readonly kind: FailureKind;
      readonly message: string;
      readonly hint?: string;
      readonly remedy?: Remedy;
      readonly transient: boolean;
    };

export type ResponseEvent = Exclude<RecordedEvent, { readonly type: 'request' }>;

/** One line: `at` is milliseconds since the request of its exchange. */
export type RecordedLine = RecordedEvent & { readonly exchange: number; readonly at: number };

/** Writes the first line of a file, with its end. */
export function headerLine(program: string): string {
  return `${JSON.stringify({ format: formatName, version: formatVersion, program })}\n`;
}

/** Reads the version in the first line; undefined for any other line. */
function versionOf(line: string): number | undefined {
  const header = parseObject(line);
  const version = header?.['format'] === formatName ? header['version'] : undefined;
  return typeof version === 'number' ? version : undefined;
}

export function formatLine({ exchange, at, type, ...rest }: RecordedLine): string {
  return `${JSON.stringify({ exchange, at, type, ...rest })}\n`;
}

/** Writes bytes as text if they are UTF-8, else in base64. */
export function bytesEvent(bytes: Uint8Array): RecordedEvent & { readonly type: 'bytes' } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) return { type: 'bytes', text: buffer.toString() };
  return { type: 'bytes', base64: buffer.toString('base64') };
}

export function bytesOf(event: RecordedEvent & { readonly type: 'bytes' }): Uint8Array {
  return 'text' in event ? Buffer.from(event.text) : Buffer.from(event.base64, 'base64');
}

function parseObject(line: string): JsonObject | undefined {
  // Editors may add a byte order mark before the first line.
  const value = parseJson(line.replace(/^\uFEFF/, ''));
  return isJsonObject(value) ? value : undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string';

function isHeaders(value: unknown): value is RecordedHeaders {
  const isValue = (one: unknown) => isText(one) || (Array.isArray(one) && one.every(isText));
  return isJsonObject(value) && Object.values(value).every(isValue);
}

function isRemedy(value: unknown): boolean {
  if (value === undefined) return true;
  const isPlain = (one: unknown) => ['string', 'number', 'boolean'].includes(typeof one);
  return isJsonObject(value) && isText(value['code']) && Object.values(value).every(isPlain);
}

/** Whether an event of this type has its fields, with valid values. */
const checks: Readonly<Record<RecordedEvent['type'], (line: JsonObject) => boolean>> = {
  request: ({ method, path }) => isText(method) && isText(path),
  response: ({ status, headers }) =>
    /^[2-5]\d\d$/.test(JSON.stringify(status)) && isHeaders(headers),
  bytes: ({ text, base64 }) => isText(text) !== isText(base64),
  end: () => true,
  stopped: () => true,
  failure: ({ kind, message, remedy }) =>
    isText(message) && isText(kind) && Object.hasOwn(exitCodes, kind) && isRemedy(remedy),
};

/** Fields that a line written by hand may omit. */
const defaults: Readonly<Partial<Record<string, JsonObject>>> = {
  response: { headers: {} },
  failure: { transient: false },
};

/** Reads a line without its end; undefined for a torn or foreign one. A missing `at` is 0. */
export function parseLine(text: string): RecordedLine | undefined {
  const found = parseObject(text);
  const type = found?.['type'];
  if (!isText(type) || !Object.hasOwn(checks, type)) return undefined;
  const line: JsonObject = { at: 0, ...defaults[type], ...found };
  const { exchange, at } = line;
  if (!Number.isInteger(exchange) || typeof at !== 'number' || !(at >= 0)) return undefined;
  return checks[type as RecordedEvent['type']](line)
    ? (line as unknown as RecordedLine)
    : undefined;
}

/** Describes a request without its headers and the address before `/v1/`. */
export function describeRequest(
  { method, url, body }: HttpRequest,
  mask: (text: string) => string,
): RecordedRequest {
  const path = mask(url.pathname.slice(Math.max(0, url.pathname.lastIndexOf('/v1/'))));
  if (body === undefined) return { method, path };
  const value: unknown = JSON.parse(Buffer.from(body).toString());
  return { method, path, body: maskValue(value, mask) };
}

export interface RecordedExchange {
  readonly number: number;
  readonly request: RecordedRequest;
  /** When the request was sent; undefined if not recorded. */
  readonly date: Date | undefined;
  readonly events: readonly RecordedLine[];
}

export type Recording = ReturnType<typeof readRecording>;

function notARecording(file: string): Failure {
  const hint = '‹natter --record FILE "a prompt"› creates one';
  return new Failure('configuration', `${file} is not a recording of natter`, { hint });
}

/** Refuses a line that is not the header of this version's format. @throws Failure `configuration` */
export function checkHeader(line: string, file: string): void {
  const version = versionOf(line);
  if (version === undefined) throw notARecording(file);
  if (version === formatVersion) return;
  const problem = `has version ${version} of the recording format; this natter reads version ${formatVersion}`;
  const hint = 'use the version of natter that wrote it, or record again';
  throw new Failure('configuration', `${file} ${problem}`, { hint });
}

/**
 * Reads a recording; torn and foreign lines are skipped.
 * @returns the exchanges in the order of their requests, and the numbers of skipped lines, from 1
 * @throws Failure `configuration` for a file that is not a recording
 */
export function readRecording(file: string) {
  const exchanges: RecordedExchange[] = [];
  // Concatenated recordings repeat numbers: a number means the last request with it.
  const latest = new Map<number, RecordedLine[]>();
  const unreadable: number[] = [];
  let number = 0;
  function take(text: string): void {
    number += 1;
    if (number === 1) checkHeader(text, file);
    if (text.trim() === '' || versionOf(text) !== undefined) return;
    const line = parseLine(text);
    if (line === undefined) unreadable.push(number);
    else if (line.type === 'request') {
      const { exchange, method, path, body } = line;
      const request = { method, path, ...(body === undefined ? {} : { body }) };
      const sent = new Date(line.date);
      const date = Number.isNaN(sent.getTime()) ? undefined : sent;
      const events: RecordedLine[] = [];
      exchanges.push({ number: exchange, request, date, events });
      latest.set(exchange, events);
    } else latest.get(line.exchange)?.push(line);
  }
  try {
    for (const text of readLines(file)) take(text);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('configuration', `cannot read ${file}: ${failureReason(error)}`, {
      hint: 'check the path of the recording',
      cause: error,
    });
  }
  if (number === 0) throw notARecording(file);
  return { file, exchanges, unreadable };
}
