import { type Exchange, pause } from '../exchange.ts';
import { chunkPayloads } from './chunk-payloads.ts';
import type { Completion } from './completion.ts';
import { createEventFormat, type EventFormat, formatComment } from './event-format.ts';
import { afterAnswer, cut, cutPosition, stall } from './interruptions.ts';
import { corrupt, encodingOf } from './malformed-events.ts';
import {
  applyFraming,
  type BodyWriter,
  openBodyWriter,
  responseHeaders,
} from './response-writer.ts';
import { errorText } from './whole-answer.ts';

interface EventStream {
  readonly exchange: Exchange;
  readonly writer: BodyWriter;
  readonly format: EventFormat;
}

/** Numbers (from 1) of the events with a fault. */
function faultyEvents({ fault }: Exchange): ReadonlySet<number> {
  const cutAfter = cutPosition(fault);
  const stallAfter = fault['stall-after'];
  return new Set([
    ...(typeof cutAfter === 'number' ? [cutAfter + 1] : []),
    ...(stallAfter === undefined ? [] : [stallAfter + 1]),
    ...[fault['error-at'], fault['malformed-at']].filter((number) => number !== undefined),
  ]);
}

async function sendError({ exchange, writer, format }: EventStream): Promise<void> {
  const { text } = errorText(exchange, 500, 'simulated failure in the middle of an answer');
  await writer.write(format(text, exchange.fault['error-as'] === 'event' ? 'error' : undefined));
}

async function sendMalformed(stream: EventStream, data: string): Promise<void> {
  const { exchange, writer, format } = stream;
  const kind = exchange.fault['malformed-as'] ?? 'truncated';
  if (kind !== 'endless') {
    await writer.write(Buffer.from(format(corrupt(data, kind)), encodingOf(kind)));
    return;
  }
  await writer.write('data: ');
  const filler = 'x'.repeat(16_384);
  for (;;) await writer.write(filler);
}

async function stallStream({ exchange, writer }: EventStream): Promise<void> {
  await stall(exchange, async () => {
    await writer.write(formatComment(exchange.fault));
    await writer.flush();
  });
}

/**
 * Applies the fault to event `number`.
 * @param data the payload without the fault
 * @returns `send` if the caller has to send the event, `end` if it was the last one
 */
async function applyEventFault(
  stream: EventStream,
  number: number,
  data: string,
): Promise<'send' | 'sent' | 'cut' | 'end'> {
  const { exchange } = stream;
  const { fault } = exchange;
  if (fault['stall-after'] === number - 1) await stallStream(stream);
  if (cutPosition(fault) === number - 1) {
    await cut(exchange);
    return 'cut';
  }
  if (fault['error-at'] === number) {
    await sendError(stream);
    return 'end';
  }
  if (fault['malformed-at'] !== number) return 'send';
  await sendMalformed(stream, data);
  return 'sent';
}

/** Characters of a write. */
const batchLength = 16_384;

/** Milliseconds until the next event is due, by the number of those sent; the first one is due immediately. */
function createPace({ clock, fault: { rate, drip } }: Exchange): (sent: number) => number {
  const interval = drip !== undefined && drip.bytes === undefined ? drip.interval : 0;
  if (rate === undefined) return (sent) => (sent === 0 ? 0 : interval);
  const start = clock.monotonic();
  return (sent) => Math.max(0, start + (sent * 1000) / rate - clock.monotonic()) + interval;
}

/** Joins events for one write. Holds back the line end of the last one if the fault omits it. */
function createEventBuffer({ exchange, writer }: EventStream) {
  let buffer = '\uFEFF'.repeat(exchange.fault.bom ?? 0);
  let lineEnd = '';
  const flush = async (): Promise<void> => {
    const text = buffer;
    buffer = '';
    if (text === '') return;
    await writer.write(text);
    await writer.flush();
  };
  return {
    flush,
    /** @returns whether it is time to flush */
    add(event: string): boolean {
      buffer += lineEnd + event;
      if (exchange.fault.unterminated === true) {
        const text = buffer.replace(/[\r\n]+$/, '');
        lineEnd = buffer.slice(text.length);
        buffer = text;
      }
      return buffer.length >= batchLength;
    },
  };
}

interface Sender {
  readonly stream: EventStream;
  readonly faulty: ReadonlySet<number>;
  readonly timeToNext: (sent: number) => number;
  readonly events: ReturnType<typeof createEventBuffer>;
}

async function sendGroup(
  { stream, faulty, timeToNext, events }: Sender,
  payloads: Iterable<string>,
): Promise<'sent' | 'cut' | 'end'> {
  const { exchange, format } = stream;
  const { record } = exchange;
  for (const data of payloads) {
    const number = record.events + 1;
    const wait = timeToNext(record.events);
    if (wait > 0) {
      await events.flush();
      await pause(exchange, wait);
    }
    if (faulty.has(number)) {
      await events.flush();
      const outcome = await applyEventFault(stream, number, data);
      if (outcome === 'cut') return 'cut';
      if (outcome !== 'send') record.events = number;
      if (outcome === 'end') return 'end';
      if (outcome === 'sent') continue;
    }
    if (events.add(format(data))) await events.flush();
    record.events = number;
  }
  await events.flush();
  return 'sent';
}

/** @returns false when the answer was cut */
async function sendEvents(
  stream: EventStream,
  groups: AsyncIterable<Iterable<string>>,
): Promise<boolean> {
  const { exchange } = stream;
  const sender = {
    stream,
    faulty: faultyEvents(exchange),
    timeToNext: createPace(exchange),
    events: createEventBuffer(stream),
  };
  for await (const payloads of groups) {
    const outcome = await sendGroup(sender, payloads);
    if (outcome !== 'sent') return outcome === 'end';
  }
  return true;
}

/** The headers are sent at once, the first event `latency` milliseconds after the request arrived. */
export async function answerWithEvents(
  exchange: Exchange,
  completion: Completion,
  latency: number,
): Promise<void> {
  const { clock, fault, response } = exchange;
  exchange.record.status = 200;
  applyFraming(exchange);
  response.writeHead(200, {
    'cache-control': 'no-cache',
    ...responseHeaders(exchange, 'text/event-stream'),
  });
  response.flushHeaders();
  const writer = await openBodyWriter(exchange);
  await pause(exchange, Math.max(0, exchange.arrived + latency - clock.monotonic()));
  const stream = { exchange, writer, format: createEventFormat(fault) };
  if (!(await sendEvents(stream, chunkPayloads(completion, fault)))) return;
  afterAnswer(exchange, () => {
    writer.end();
  });
}
