import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Mask } from '../client/failure/error-body.ts';
import { maskFailure } from '../client/failure/change-failure.ts';
import { findError } from '../client/failure/service-failure.ts';
import { parseUrl } from '../client/http/base-url.ts';
import type { HttpResponse, Transport } from '../client/http/transport.ts';
import { answerChoice, readChunk } from '../client/stream/answer-parts.ts';
import { bodyForm, createLineDecoder } from '../client/stream/answer-reader.ts';
import type { Clock } from '../clock.ts';
import { Failure } from '../failure.ts';
import { definedFields, isJsonObject, type JsonObject, parseAnyJson } from '../json.ts';
import { createMaskedStream, type SecretFilter } from '../secrets/secret-filter.ts';
import { isSecretHeader } from '../secrets/secret-parts.ts';
import { endsTorn, type AppendFile } from '../storage/append-file.ts';
import { type LockOptions, withLock } from '../storage/lock.ts';
import { readLines } from '../storage/read-lines.ts';
import { errorCode, failureReason } from '../storage/storage-failure.ts';
import {
  bytesEvent,
  checkHeader,
  describeRequest,
  formatLine,
  headerLine,
  parseLine,
  type RecordedEvent,
  type RecordedHeaders,
  type ResponseEvent,
} from './format.ts';

/** A blank line ends an event. */
const eventEnd = /(?:\r\n|\n|\r(?!\n)){2}/g;

/** The bytes of a text that has a character for each. */
const toBytes = (text: string) => Buffer.from(text, 'latin1');

const channels = ['text', 'reasoning', 'refusal'] as const;
type Texts = Record<(typeof channels)[number], string>;

function eachText<Value>(write: (channel: keyof Texts) => Value): Record<keyof Texts, Value> {
  return { text: write('text'), reasoning: write('reasoning'), refusal: write('refusal') };
}

const isSame = (one: Texts, other: Texts) =>
  channels.every((channel) => one[channel] === other[channel]);

/** Keys are ASCII, so an encoding that keeps all bytes suffices for bytes that are not UTF-8. */
function maskBytes(bytes: Buffer, filter: SecretFilter): Buffer {
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const masked = filter.mask(text);
  return masked === text ? bytes : Buffer.from(masked, encoding);
}

/** What the client reads of a chunk or of a whole completion, as a chunk with other texts. */
function writeChunk(value: JsonObject, texts: Texts, filter: SecretFilter): string {
  const { id, model, finishReason, usage, calledTools } = readChunk(value);
  const delta = {
    content: texts.text,
    reasoning_content: texts.reasoning,
    refusal: texts.refusal,
    ...(calledTools && { tool_calls: [{}] }),
  };
  const failed = findError(value, filter.mask);
  const error = failed && { name: failed.names[0], status: failed.status, message: failed.message };
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return filter.mask(JSON.stringify({ id, model, choices, usage, error }));
}

function maskWhole(body: Buffer, filter: SecretFilter): Buffer {
  const value = parseAnyJson(new TextDecoder().decode(body));
  if (isJsonObject(value) && answerChoice(value['choices']) !== undefined) {
    const content = readChunk(value);
    const shown = eachText((channel) => filter.mask(content[channel]));
    if (!isSame(shown, content)) return Buffer.from(writeChunk(value, shown, filter));
  }
  return maskBytes(body, filter);
}

/**
 * Masks events as the client reads them: a text continues from event to event, in whatever way a service spells it.
 * Only events with a part of a secret change.
 */
function createEventMask(filter: SecretFilter) {
  const decode = createLineDecoder();
  const found: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => found.push(event) });
  const streams = eachText(() => createMaskedStream(filter));

  /** An event with the end of the texts, which could have been the start of a secret. */
  function heldEvent(): string {
    const texts = eachText((channel) => streams[channel].end());
    if (channels.every((channel) => texts[channel] === '')) return '';
    return `data: ${writeChunk({}, texts, filter)}\n\n`;
  }

  /**
   * @param bytes one event, or comments and blank lines
   * @param isLast they are the end of the body: an event, whole or cut, without a blank line
   */
  return (bytes: Buffer, isLast: boolean): Buffer => {
    parser.feed(decode(bytes) + (isLast ? `${decode()}\n\n` : ''));
    const event = found.pop();
    const isError = event?.event === 'error';
    const value = isError ? undefined : parseAnyJson(event?.data ?? '');
    if (!isJsonObject(value)) {
      const ends = isLast || isError || event?.data.trim() === '[DONE]';
      return Buffer.concat([Buffer.from(ends ? heldEvent() : ''), maskBytes(bytes, filter)]);
    }
    const ends = isLast || findError(value, filter.mask) !== undefined;
    const content = readChunk(value);
    const shown = eachText((channel) => {
      const text = streams[channel].write(content[channel]);
      return ends ? text + streams[channel].end() : text;
    });
    if (isSame(shown, content)) return maskBytes(bytes, filter);
    return Buffer.from(`data: ${writeChunk(value, shown, filter)}\n\n`);
  };
}

/**
 * Masks the body of a response before it is recorded: the stream of an answer event by event, and any other body as a
 * whole at its end.
 * @param write gets bytes with the time of the read in which they ended
 */
export function createMaskedBody(
  filter: SecretFilter,
  contentType: string | undefined,
  write: (bytes: Uint8Array, at: number) => void,
) {
  const maskEvent = createEventMask(filter);
  let form: ReturnType<typeof bodyForm>;
  /** What is not written yet, with a character for each byte: the start of an event, or a whole body. */
  let pending = '';
  /** The last characters that were searched. */
  let searchedEnd = '';
  let lastAt = 0;

  function findForm(isWhole: boolean): void {
    // The client skips blank lines before an answer, too.
    const head = new TextDecoder().decode(toBytes(pending)).replace(/^\s*\n/, '');
    form = bodyForm(head, contentType, isWhole);
  }

  return {
    take(bytes: Uint8Array, at: number): void {
      lastAt = at;
      const text = Buffer.from(bytes).toString('latin1');
      // The end of what was searched before may be the start of a blank line.
      const unsearched = searchedEnd + text;
      searchedEnd = unsearched.slice(-3);
      pending += text;
      const isFirst = form === undefined;
      if (isFirst) findForm(false);
      if (form !== 'event-stream') return;
      // A search of all that is pending would copy it, for each read of an event that does not end.
      if (!isFirst && unsearched.search(eventEnd) < 0) return;
      const masked: Buffer[] = [];
      let start = 0;
      for (const { index, 0: blank } of pending.matchAll(eventEnd)) {
        const end = index + blank.length;
        masked.push(maskEvent(toBytes(pending.slice(start, end)), false));
        start = end;
      }
      pending = pending.slice(start);
      if (masked.length > 0) write(Buffer.concat(masked), at);
    },
    end(): void {
      if (form === undefined) findForm(true);
      const rest = toBytes(pending);
      const masked = form === 'event-stream' ? maskEvent(rest, true) : maskWhole(rest, filter);
      if (masked.length > 0) write(masked, lastAt);
    },
  };
}

/** These headers describe the transfer of the body, which is recorded decoded. */
const transferHeaders = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'transfer-encoding',
]);

function recordHeaders({ headers }: HttpResponse, url: URL, mask: Mask): RecordedHeaders {
  const recorded: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || transferHeaders.has(name) || isSecretHeader(name)) continue;
    recorded[mask(name)] = typeof value === 'string' ? mask(value) : value.map(mask);
  }
  const target = headers.location === undefined ? undefined : parseUrl(headers.location, url);
  if (target === undefined) return recorded;
  // An absolute address, because a replay has no base URL, without the query, which may have a token.
  const location = mask(`${target.protocol}//${target.host}${target.pathname}`);
  return { ...recorded, location };
}

/** Makes the last event of an exchange. Any error but a Failure is an interruption, or from a reader that stopped. */
function endingOf(error: unknown, mask: Mask): ResponseEvent {
  if (!(error instanceof Failure)) return { type: 'stopped' };
  const { transient = false } = error;
  const { kind, message, hint, remedy } = maskFailure(error, mask);
  return { type: 'failure', kind, message, ...definedFields({ hint, remedy }), transient };
}

/** Creates the file, or checks that it is a recording. An empty file, as from `mktemp`, becomes one. */
function prepare(path: string, program: string): void {
  try {
    fs.writeFileSync(path, headerLine(program), { flag: 'wx', mode: 0o600 });
    return;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const found = fs.statSync(path);
  if (!found.isFile()) {
    throw new Failure('usage', `cannot record into ${path}: it is not a regular file`);
  }
  if (found.size === 0) fs.writeFileSync(path, headerLine(program), { flag: 'a' });
  else {
    const [line = ''] = readLines(path);
    checkHeader(line, path);
  }
}

/**
 * Opens a recording for appending, or creates a private one (0600). What it returns throws the system's error, or a
 * Failure.
 * @param options `program` is `natter/1.2.3`; `signal` ends the wait for other processes during the opening
 * @throws Failure `storage` if it cannot be written, `configuration` if it is not a recording
 */
export async function openRecordingFile(
  path: string,
  options: LockOptions & { readonly storage: AppendFile; readonly program: string },
) {
  const { storage, program } = options;
  const locked = <Result>(action: () => Result, signal = options.signal) =>
    withLock(`${path}.lock`, { ...options, ...(signal && { signal }) }, action);
  /** The highest number in the first `scanned` bytes of the file with this inode. */
  let last = 0;
  let scanned = 0;
  let inode = -1;
  const isReplaced = () => inode !== -1 && fs.statSync(path).ino !== inode;

  /** Reads only the data written since the last call. */
  function nextNumber(): number {
    if (isReplaced()) prepare(path, program);
    const { size, ino } = fs.statSync(path);
    if (ino !== inode || size < scanned) [last, scanned] = [0, 0];
    inode = ino;
    if (size > scanned) {
      for (const line of readLines(path, scanned)) {
        last = Math.max(last, parseLine(line)?.exchange ?? 0);
      }
      if (!endsTorn(path)) scanned = size;
    }
    last += 1;
    return last;
  }

  function write(text: string): void {
    const bytes = Buffer.from(text);
    // The cut line stays torn; the next record starts on a new line.
    if (storage.append(path, bytes) < bytes.length)
      throw Object.assign(new Error('cut'), { code: 'ENOSPC' });
  }

  try {
    await locked(() => prepare(path, program));
  } catch (error) {
    options.signal?.throwIfAborted();
    // The failure of a lock names the lock file, which users do not know.
    const cause: unknown = error instanceof Failure ? error.cause : error;
    if (error instanceof Failure && cause === undefined) throw error;
    throw new Failure('storage', `cannot record into ${path}: ${failureReason(cause)}`, {
      hint: 'check the path and its permissions, or record into another file',
      cause,
    });
  }
  return {
    /**
     * Writes a request and returns the number of its exchange, which is unique among all processes. Waits for other
     * writers until `signal` aborts.
     */
    begin: (request: RecordedEvent & { type: 'request' }, signal?: AbortSignal): Promise<number> =>
      locked(() => {
        const exchange = nextNumber();
        const line = formatLine({ exchange, at: 0, ...request });
        write(endsTorn(path) ? `\n${line}` : line);
        return exchange;
      }, signal),
    append(exchange: number, at: number, event: ResponseEvent): void {
      if (isReplaced()) throw new Failure('storage', `${path} was replaced by another file`);
      write(formatLine({ exchange, at, ...event }));
    },
  };
}

/**
 * Records the exchanges of a transport, without secrets. A failed recording does not fail an answer.
 * @param filter for the secrets known so far; undefined while there are none
 * @param onFailure called once, if the file cannot be written; requests continue
 */
export function createRecorder(
  file: Awaited<ReturnType<typeof openRecordingFile>>,
  clock: Clock,
  filter: () => SecretFilter | undefined,
  onFailure: (error: unknown) => void,
): (transport: Transport) => Transport {
  let isBroken = false;

  function fail(error: unknown): void {
    if (!isBroken) onFailure(error);
    isBroken = true;
  }

  return (transport) => async (request, signal) => {
    signal.throwIfAborted();
    const secrets = filter();
    const mask: Mask = secrets?.mask ?? ((text) => text);
    const date = clock.date().toISOString();
    let number: number | undefined;
    try {
      if (!isBroken) {
        const event = { type: 'request', date, ...describeRequest(request, mask) } as const;
        number = await file.begin(event, signal);
      }
    } catch (error) {
      signal.throwIfAborted();
      fail(error);
    }
    const start = clock.monotonic();
    const elapsed = () => Math.round(clock.monotonic() - start);

    function write(event: ResponseEvent, at = elapsed()): void {
      if (number === undefined || isBroken) return;
      try {
        file.append(number, at, event);
      } catch (error) {
        fail(error);
      }
    }

    let isRead = false;
    async function* record(response: HttpResponse): AsyncGenerator<Uint8Array, void> {
      isRead = true;
      const writeBytes = (bytes: Uint8Array, at: number) => write(bytesEvent(bytes), at);
      const contentType = response.headers['content-type'];
      const masked = secrets && createMaskedBody(secrets, contentType, writeBytes);
      let ending: ResponseEvent = { type: 'stopped' };
      try {
        for await (const bytes of response.body) {
          if (masked === undefined) writeBytes(bytes, elapsed());
          else masked.take(bytes, elapsed());
          yield bytes;
        }
        ending = { type: 'end' };
      } catch (error) {
        ending = endingOf(error, mask);
        throw error;
      } finally {
        masked?.end();
        write(ending);
      }
    }

    const response = await transport(request, signal).catch((error: unknown) => {
      write(endingOf(error, mask));
      throw error;
    });
    const headers = recordHeaders(response, request.url, mask);
    write({ type: 'response', status: response.status, headers });
    return {
      ...response,
      body: record(response),
      destroy(reason) {
        // The reader of a body gets the reason as an error, which is recorded.
        if (!isRead) write({ type: 'stopped' });
        isRead = true;
        response.destroy(reason);
      },
    };
  };
}
