import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CompletionRequest } from '../client/contract.ts';
import type { ChatEvent } from '../client/events.ts';
import type { Clock } from '../clock.ts';
import { isJsonObject } from '../json.ts';
import { maskKey, maskValue } from '../secrets/mask.ts';
import { createSecretFilter, minLengthInText } from '../secrets/secret-filter.ts';
import type { Fault } from './faults/fault-fields.ts';
import type { createFaultRules, FaultRule } from './faults/fault-rules.ts';
import { bearerToken, type createRateLimiter, type RateLimit } from './keys.ts';

export type Exchange = ReturnType<typeof openExchange>;

/**
 * Answers in place of the sandbox's own replies. The request has only the contract's fields. It throws a
 * {@link Failure} if it cannot answer, and the signal's reason after an abort.
 */
export type Engine = (request: CompletionRequest, signal: AbortSignal) => AsyncIterable<ChatEvent>;

export interface SandboxOptions {
  /** A loopback address; default `127.0.0.1`. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** The first rule that is due decides. */
  readonly faults?: readonly FaultRule[];
  /** Replaces the limits of all keys. */
  readonly rateLimit?: RateLimit | undefined;
  /** Ignores fields of a prompt that the contract does not have, which are refused by default. */
  readonly lenient?: boolean;
  /** Gets one line of JSON, without a line end, for each request that has ended. */
  readonly log?: ((line: string) => void) | undefined;
  /** Answers prompts in place of the sandbox's own replies. */
  readonly engine?: Engine | undefined;
  /** Milliseconds to the first token, by model id; default: the contract's typical latency. */
  readonly latency?: Readonly<Record<string, number>>;
  /** Lets the process exit while the sandbox runs. */
  readonly unref?: boolean;
}

/** Shared by all requests of one sandbox. */
export interface SandboxState extends SandboxOptions {
  readonly clock: Clock;
  readonly rules: ReturnType<typeof createFaultRules>;
  readonly admit: ReturnType<typeof createRateLimiter>;
  isClosing: boolean;
  requests: number;
}

/** `Infinity` waits until the connection closes. @throws the signal's reason when it closes */
export function pause({ clock, signal }: Exchange, milliseconds: number): Promise<void> {
  return clock.sleep(milliseconds, signal);
}

/** @param time by the clock's monotonic milliseconds; one in the past is not waited for */
export async function pauseUntil(exchange: Exchange, time: number): Promise<void> {
  const wait = time - exchange.clock.monotonic();
  if (wait > 0) await pause(exchange, wait);
}

/** Begins the record of a request, which is logged after the end or the loss of its response. */
export function openExchange(
  state: SandboxState,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const { clock, log } = state;
  const { method = 'GET', url = '/', headers } = request;
  const token = bearerToken(headers.authorization);
  const key = token && maskKey(token);
  const time = clock.date().toISOString();
  const closed = new AbortController();
  state.requests += 1;
  const record: RequestRecord = { time, method, path: url, key, events: 0 };
  const arrived = clock.monotonic();
  const fault: Fault = {};
  // Without a listener, an error would end the process. A failed response is closed, too.
  response.on('error', ({ message }) => (record.problem ??= message));
  response.once('close', () => {
    record.ended ??= state.isClosing ? 'sandbox closed' : 'client closed';
    record.milliseconds = Math.round(clock.monotonic() - arrived);
    if (log !== undefined) writeRecord(log, record, token);
    if (!response.writableFinished) closed.abort(new Error('the connection has ended'));
  });
  return {
    state,
    request,
    response,
    clock,
    /** When the request arrived, by the clock's monotonic milliseconds. */
    arrived,
    /** Aborts when either side closes the connection before the end of the answer. */
    signal: closed.signal,
    /** Counts from 1, in the order of arrival. */
    number: state.requests,
    record,
    /** Empty until the request has been read. */
    fault,
  };
}

/** The log entry of one request; it is written when the connection has finished with the request. */
export interface RequestRecord {
  /** ISO 8601, of the arrival. */
  readonly time: string;
  /** Absent if the connection never sent a readable request. */
  readonly method?: string;
  /** The path with its query, as sent. */
  readonly path?: string;
  status?: number;
  model?: string;
  stream?: boolean;
  /** The key as sent, masked. */
  readonly key?: string | undefined;
  /** The key's tier, if the key is known. */
  tier?: string;
  /** The rule or `[sandbox …]` group that decided on the answer, and how often it has decided. */
  rule?: string | undefined;
  attempt?: number | undefined;
  /** Events sent, `[DONE]` included. */
  events: number;
  /** `cut`: a fault cut the answer; `failed`: the engine failed in the middle of its answer. */
  ended?: 'done' | 'cut' | 'failed' | 'client closed' | 'sandbox closed';
  /** What went wrong in the sandbox, or why the request cannot be read. */
  problem?: string;
  /** The time from the arrival to the end. */
  milliseconds?: number;
  /** A JSON value, or the start of a text. */
  body?: unknown;
}

/**
 * Characters in the log of one text, and bytes of a body that is logged as JSON. To find the key in all forms
 * takes up to a microsecond a character, in which the sandbox answers no request.
 */
const maxTextLength = 65_536;

/** The JSON value if it is short, else the start of the text. @param value undefined if the body is not JSON */
export function recordBody(record: RequestRecord, bytes: Buffer, value: unknown): void {
  if (bytes.length === 0) return;
  if (isJsonObject(value)) {
    const { model, stream } = value;
    if (typeof model === 'string') record.model = model;
    record.stream = stream === true;
  }
  // A character has at most four bytes: what is cut here is still too long for the log, and is cut there after masking.
  const start = bytes.subarray(0, 4 * (maxTextLength + 1));
  const isShort = bytes.length <= maxTextLength;
  record.body = isShort && value !== undefined ? value : start.toString();
}

/** More than the characters of a key, which is masked whole before the cut. */
const longestKey = 8192;

/** Writes the line of a record, with the key masked everywhere. @param key the token of the request */
export function writeRecord(
  log: (line: string) => void,
  { body, ...facts }: RequestRecord,
  key?: string,
): void {
  const filter = createSecretFilter(key === undefined ? [] : [key], minLengthInText);
  const maskText = (text: string) => {
    const start = text.slice(0, maxTextLength + longestKey);
    const masked = filter?.mask(start) ?? start;
    return text.length <= maxTextLength ? masked : `${masked.slice(0, maxTextLength)}…`;
  };
  log(JSON.stringify(maskValue({ ...facts, body }, maskText)));
}
