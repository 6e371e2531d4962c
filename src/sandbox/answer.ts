import { once } from 'node:events';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { addAbortSignal, PassThrough, type Transform } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { constants, createBrotliCompress, createDeflate, createGzip } from 'node:zlib';
import { errorNames } from '../client/contract.ts';
import type { Failure } from '../failure.ts';
import { parseAnyJson } from '../json.ts';
import { type Completion, finishReasonOf, reportedUsage } from './completion.ts';
import { type Exchange, pause, pauseUntil } from './exchange.ts';
import type { Fault } from './faults/fault-fields.ts';
import { type ErrorShape, errorShapes, type MalformedEvent, malformedEvents } from './shapes.ts';

const defaultCut = 3;

/** Real milliseconds for the client to read the data before a reset, which discards it on both sides. */
const grace = 100;

/** The number of events before a cut; `request` is before the headers. Undefined without a cut. */
export function cutPosition(fault: Fault): number | 'request' | undefined {
  const place = fault['cut-after'];
  return place ?? (fault.cut === undefined ? undefined : defaultCut);
}

/** Closes the connection after sending what was written. */
export async function breakOff({ response }: Exchange): Promise<void> {
  await nextTurn();
  response.socket?.destroySoon();
}

/** Ends the answer early. `end` is valid HTTP, `fin` and `rst` are not. */
export async function cut(exchange: Exchange): Promise<void> {
  const { response, record, fault } = exchange;
  record.ended = 'cut';
  const { socket } = response;
  if (fault.cut === 'end' && response.headersSent) {
    response.end();
    return;
  }
  if (fault.cut !== 'rst') return breakOff(exchange);
  await nextTurn();
  if (socket === null || socket.destroyed) return;
  if (socket.writableNeedDrain) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  await sleep(grace);
  socket.resetAndDestroy();
}

/** Sends nothing, or only comments. @param comment sends one */
async function stall(exchange: Exchange, comment: () => Promise<void>): Promise<void> {
  const { 'stall-for': length = Infinity, 'keep-alive': interval = Infinity } = exchange.fault;
  for (let left = length; left > 0; left -= interval) {
    await pause(exchange, Math.min(left, interval));
    if (left > interval) await comment();
  }
}

/** Faults after a complete answer. */
function afterAnswer({ response, fault, record }: Exchange, end: () => void): void {
  record.ended = 'done';
  if (fault['hold-open'] === true) return;
  if (fault['close-after'] === true) {
    const { socket } = response;
    response.once('finish', () => socket?.destroySoon());
  }
  end();
}

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = constants;

/** They send each write at once. */
const compressors = {
  gzip: () => createGzip({ flush: Z_SYNC_FLUSH }),
  br: () => createBrotliCompress({ flush: BROTLI_OPERATION_FLUSH }),
  deflate: () => createDeflate({ flush: Z_SYNC_FLUSH }),
};

/** Lets Node write the head into a stream in the place of the connection, and sends its bytes one by one. */
async function sendHeadSlowly(exchange: Exchange, interval: number): Promise<void> {
  const { request, response } = exchange;
  const { socket } = request;
  const head = new PassThrough();
  // A response only writes to its socket, which any stream can do.
  const place = head as unknown as Socket;
  response.detachSocket(socket);
  response.assignSocket(place);
  response.flushHeaders();
  response.detachSocket(place);
  response.assignSocket(socket);
  for (const byte of head.read() as Buffer) {
    await pause(exchange, interval);
    socket.write(Buffer.of(byte));
  }
}

/** The body: the response, as fast as the client reads, or a compressor in front of it. */
function openBody(exchange: Exchange) {
  const { response, signal } = exchange;
  const { encoding, drip, split } = exchange.fault;
  const compressor: Transform | undefined = encoding && compressors[encoding]();
  // Without a reader, a write would wait forever.
  if (compressor !== undefined) addAbortSignal(signal, compressor).on('error', () => undefined);
  compressor?.pipe(response);
  async function writeAll(chunk: string | Buffer): Promise<void> {
    signal.throwIfAborted();
    if (compressor !== undefined) {
      await new Promise<void>((resolve) => void compressor.write(chunk, () => resolve()));
    } else if (!response.write(chunk)) await once(response, 'drain', { signal });
  }
  const size = drip?.bytes ?? (split !== undefined && 'bytes' in split ? split.bytes : undefined);
  const interval = drip?.bytes === undefined ? 0 : drip.interval;
  return {
    /** Resolves when the client can take more. Faults write a few bytes at a time. */
    async write(chunk: string | Buffer): Promise<void> {
      if (size === undefined) return writeAll(chunk);
      const bytes = Buffer.from(chunk);
      for (let start = 0; start < bytes.length; start += size) {
        await writeAll(bytes.subarray(start, start + size));
        await nextTurn();
        if (interval > 0) await pause(exchange, interval);
      }
    },
    end: () => void (compressor ?? response).end(),
  };
}

/**
 * Sends the head of the answer. With the fault `framing=close`, the body ends with the connection; headers of the fault
 * replace the others, and `date+3` in Retry-After becomes the date in three seconds.
 * @returns a writer of the body: compressed, split and slowed down by the fault
 */
async function sendHead(
  exchange: Exchange,
  status: number,
  contentType: string,
  headers: Readonly<Record<string, string>>,
) {
  const { clock, fault, number, record, response } = exchange;
  const { charset, encoding, 'content-type': type = contentType } = fault;
  record.status = status;
  if (fault.framing === 'close') {
    response.useChunkedEncodingByDefault = false;
    response.shouldKeepAlive = false;
  }
  const retryAfter = fault['retry-after']?.replace(/^date([+-]\d{1,9})$/, (_, seconds: string) =>
    new Date(clock.date().getTime() + Number(seconds) * 1000).toUTCString(),
  );
  response.writeHead(status, {
    ...headers,
    'content-type': charset === undefined ? type : `${type}; charset=${charset}`,
    'x-request-id': `sandbox-request-${number}`,
    ...(encoding !== undefined && { 'content-encoding': encoding }),
    ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
    ...fault.headers,
  });
  const interval = fault['slow-headers'];
  if (interval === undefined) response.flushHeaders();
  else await sendHeadSlowly(exchange, interval);
  return openBody(exchange);
}

async function sendWhole(
  exchange: Exchange,
  status: number,
  { contentType, text }: ReturnType<typeof errorBody>,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { fault } = exchange;
  // Else the body is not sent whole and unchanged.
  const hasLength =
    status !== 204 &&
    status !== 304 &&
    fault.encoding === undefined &&
    fault.framing === undefined &&
    fault.cut !== 'end';
  const body = await sendHead(exchange, status, contentType, {
    ...(hasLength && { 'content-length': String(Buffer.byteLength(text)) }),
    ...headers,
  });
  const cutAfter = cutPosition(fault);
  const stallAfter = fault['stall-after'];
  const interruption = stallAfter ?? cutAfter;
  // What is sent before a stall or cut: nothing if that is right after the headers, else half.
  const isHalf = typeof interruption === 'number' && interruption > 0;
  const first = isHalf ? text.slice(0, Math.ceil(text.length / 2)) : '';
  await body.write(first);
  if (stallAfter !== undefined) await stall(exchange, async () => {});
  if (typeof cutAfter === 'number') return cut(exchange);
  await body.write(text.slice(first.length));
  afterAnswer(exchange, () => body.end());
}

export async function sendJson(exchange: Exchange, value: unknown): Promise<void> {
  await sendWhole(exchange, 200, { contentType: 'application/json', text: JSON.stringify(value) });
}

/** Messages quote the request, which can be long. */
const maxMessageLength = 2000;

const hostileText = ' \u001b[31m\u001b]0;owned\u0007\u202etxet\u009b2J';

/** The body of an error response. Its name is the contract's for the status, else made from HTTP's reason phrase. */
export function errorBody(shape: keyof typeof errorShapes, status: number, message: string) {
  const known: Readonly<Record<number, string>> = errorNames;
  const phrase = STATUS_CODES[status] ?? (status < 500 ? 'client error' : 'server error');
  const name = known[status] ?? phrase.toLowerCase().replaceAll(/[^a-z]+/g, '_');
  const [, write, contentType = 'application/json']: ErrorShape = errorShapes[shape];
  const body = write(name, message, status);
  return { contentType, text: typeof body === 'string' ? body : JSON.stringify(body) };
}

function errorText({ fault }: Exchange, status: number, message: string) {
  const shown = fault.message ?? message;
  const text = fault.hostile === true ? shown + hostileText : shown;
  return errorBody(fault['error-shape'] ?? 'nested', status, text);
}

export async function answerFailure(exchange: Exchange, failure: Failure): Promise<void> {
  const { kind, hint, message, retryAfterSeconds } = failure;
  // Other kinds are such as a mistake in a `[sandbox …]` group.
  const [code = 400] = Object.entries(errorNames).find(([, name]) => name === kind) ?? [];
  const status = Number(code);
  const isLong = message.length > maxMessageLength;
  const short = isLong ? `${message.slice(0, maxMessageLength)}…` : message;
  const text = errorText(exchange, status, hint === undefined ? short : `${short}; ${hint}`);
  await sendWhole(exchange, status, text, {
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
  });
}

function guessContentType(body: string): string {
  if (/^\s*[{[]/.test(body)) return 'application/json';
  if (/^\s*</.test(body)) return 'text/html';
  return /^(?:data|event|id|retry)?:/.test(body) ? 'text/event-stream' : 'text/plain';
}

/** @returns false if the fault has neither a status nor a body */
export async function answerWithFault(exchange: Exchange): Promise<boolean> {
  const { fault } = exchange;
  const { body } = fault;
  const implied = fault['retry-after'] === undefined || body !== undefined ? 200 : 429;
  const status = fault.status ?? implied;
  if (body === undefined && status === 200) return false;
  const isPlain = body !== undefined || status < 400;
  const text = isPlain
    ? { contentType: guessContentType(body ?? ''), text: body ?? '' }
    : errorText(exchange, status, `simulated status ${status}`);
  await sendWhole(exchange, status, text);
  return true;
}

/** Mixed ends have one kind for each event: within an event, a CR before an LF would be one line end, not two. */
const lineEnds = { lf: ['\n'], crlf: ['\r\n'], cr: ['\r'], mixed: ['\n', '\r\n', '\r'] } as const;

function lineEndOf({ 'line-ending': kind = 'lf' }: Fault, event: number): string {
  const ends = lineEnds[kind];
  return ends[event % ends.length] ?? '\n';
}

/** Writes `data: <json>` and a blank line (contract, Events), changed by the fault. Events are numbered from 1. */
function formatEvent(fault: Fault, number: number, data: string, name?: string): string {
  const prefix = `data:${' '.repeat(fault['data-spaces'] ?? 1)}`;
  const end = lineEndOf(fault, number);
  const value = fault['data-lines'] === true ? parseAnyJson(data) : undefined;
  const lines = value === undefined ? [data] : JSON.stringify(value, null, 1).split('\n');
  const extras = [`id: ${number}`, 'retry: 10', 'event', 'x-unknown: 1', 'no colon'];
  const event = [
    ...(fault['extra-fields'] === true ? extras : []),
    ...(name === undefined ? [] : [`event: ${name}`]),
    ...lines.map((line) => prefix + line),
  ];
  return `${`: comment${end}`.repeat(fault.comments ?? 0)}${event.join(end)}${end}${end}`;
}

/** The fault `split` makes deltas of a number of UTF-16 units, which may split surrogate pairs. */
async function* splitDeltas(
  deltas: Completion['deltas'],
  { split }: Fault,
): AsyncGenerator<string, void, undefined> {
  if (split === undefined || !('units' in split)) {
    yield* deltas;
    return;
  }
  let rest = '';
  for await (const delta of deltas) {
    rest += delta;
    let start = 0;
    for (; start + split.units <= rest.length; start += split.units) {
      yield rest.slice(start, start + split.units);
    }
    rest = rest.slice(start);
  }
  if (rest !== '') yield rest;
}

const roles = { first: 'assistant', every: 'assistant', null: null, empty: '' } as const;

const emptyDeltas: readonly object[] = [
  {},
  { delta: null },
  { delta: {} },
  { delta: { content: null } },
  { delta: { content: '' } },
  { delta: { content: [{ type: 'text' }] } },
  { delta: { role: null } },
  { delta: { tool_calls: [{ index: 0, function: { name: 'none', arguments: '{' } }] } },
  { delta: { __unknown: true }, logprobs: null, constructor: 1 },
];

/**
 * The payloads of an answer's events, lazily. By default the last chunk has an empty content, the finish_reason and the
 * usage; the contract does not define it.
 */
async function* chunkPayloads(
  completion: Completion,
  fault: Fault,
): AsyncGenerator<string, void, undefined> {
  const { role, usage: place = 'finish' } = fault;
  const write = (choices: readonly object[], withUsage = place === 'every') =>
    JSON.stringify({
      id: completion.id,
      object: 'chat.completion.chunk',
      choices,
      usage: withUsage ? reportedUsage(fault, completion) : undefined,
    });
  const writeDelta = (delta: object) => write([{ index: 0, delta }]);

  let isFirst = true;
  /** By default the first delta has the role, which strict clients require. */
  function nextRole(): object {
    const next = role ?? (isFirst ? 'every' : 'none');
    isFirst = false;
    return next === 'first' || next === 'none' ? {} : { role: roles[next] };
  }

  // None of the chunks before the text adds to it.
  if (fault['empty-choices'] === true) yield write([]);
  if (role !== undefined && role !== 'none') yield writeDelta({ role: roles[role] });
  if (fault['odd-chunks'] === true) {
    for (const odd of emptyDeltas) yield write([{ index: 0, ...odd }]);
    yield write([{ index: 1, delta: { content: 'second choice' } }]);
  }
  if (fault.reasoning !== undefined) {
    for (const thought of ['The sandbox ', 'does not ', 'think.']) {
      yield writeDelta({ ...nextRole(), [fault.reasoning]: thought });
    }
  }
  const name = fault.refusal === true ? 'refusal' : 'content';
  for await (const text of splitDeltas(completion.deltas, fault)) {
    yield writeDelta({ ...nextRole(), [name]: text });
  }

  const finish = finishReasonOf(fault, completion);
  const last = { index: 0, delta: { ...(role === undefined && nextRole()), content: '' } };
  if (finish !== undefined || place === 'finish') {
    yield write([{ ...last, finish_reason: finish }], place === 'finish' || place === 'every');
  }
  if (place === 'last') yield write([], true);
  if (fault['no-done'] !== true) yield '[DONE]';
  if (fault['after-done'] === true) yield writeDelta({ content: ' text after the end' });
}

/** The headers are sent at once, the first event when it is due. */
export async function answerWithEvents(exchange: Exchange, completion: Completion): Promise<void> {
  const { clock, fault, record } = exchange;
  const headers = { 'cache-control': 'no-cache' };
  const body = await sendHead(exchange, 200, 'text/event-stream', headers);
  await pauseUntil(exchange, completion.due);
  const { rate = Infinity, drip } = fault;
  const interval = drip !== undefined && drip.bytes === undefined ? drip.interval : 0;
  const start = clock.monotonic();
  /** The line end of the last event, if the fault omits it. */
  let lineEnd = '';
  const send = (data: string, name?: string, encoding: BufferEncoding = 'utf8') => {
    record.events += 1;
    const event = formatEvent(fault, record.events, data, name);
    const text = fault.unterminated === true ? event.replace(/[\r\n]+$/, '') : event;
    const written = Buffer.from(lineEnd + text, encoding);
    lineEnd = event.slice(text.length);
    return body.write(written);
  };
  if (fault.bom !== undefined) await body.write('\uFEFF'.repeat(fault.bom));
  for await (const data of chunkPayloads(completion, fault)) {
    // The first event is due immediately.
    const due = start + (record.events * 1000) / rate;
    const wait = Math.max(0, due - clock.monotonic()) + (record.events === 0 ? 0 : interval);
    if (wait > 0) await pause(exchange, wait);
    if (fault['stall-after'] === record.events) {
      const end = lineEndOf(fault, 0);
      await stall(exchange, () => body.write(`: keep-alive${end}${end}`));
    }
    if (cutPosition(fault) === record.events) return cut(exchange);
    const number = record.events + 1;
    if (fault['error-at'] === number) {
      const { text } = errorText(exchange, 500, 'simulated failure in the middle of an answer');
      await send(text, fault['error-as'] === 'event' ? 'error' : undefined);
      break;
    }
    const kind = fault['malformed-as'] ?? 'truncated';
    const [, corrupt]: MalformedEvent = malformedEvents[kind];
    if (fault['malformed-at'] !== number) await send(data);
    else if (corrupt !== undefined) {
      await send(corrupt(data), undefined, kind === 'utf8' ? 'latin1' : 'utf8');
    } else {
      await body.write('data: ');
      for (;;) await body.write('x'.repeat(16_384));
    }
  }
  afterAnswer(exchange, () => body.end());
}
