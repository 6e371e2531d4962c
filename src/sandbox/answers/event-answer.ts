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

/** An event stream that has begun. */
interface EventStream {
  readonly exchange: Exchange;
  readonly writer: BodyWriter;
  readonly format: EventFormat;
}

/** Numbers of the events (from 1) with a fault; the others are sent directly. */
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
  const { text } = errorText(exchange, 500, 'the sandbox was asked to fail in the middle');
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
  const more = 'x'.repeat(16_384);
  for (;;) await writer.write(more);
}

async function stallStream({ exchange, writer }: EventStream): Promise<void> {
  await stall(exchange, async () => {
    await writer.write(formatComment(exchange.fault));
    await writer.flush();
  });
}

/**
 * Applies the fault to event `number`.
 * @param data the payload of the proper event
 * @returns whether the event is still to be sent, was sent in another form, or the answer was cut or ends here
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

/** Characters collected before a write when there is no pause. */
const batch = 16_384;

/** Milliseconds until the next event is due, after so many; the first one is due at once. */
function createPace({ clock, fault: { rate, drip } }: Exchange): (sent: number) => number {
  const interval = drip !== undefined && drip.bytes === undefined ? drip.interval : 0;
  if (rate === undefined) return (sent) => (sent === 0 ? 0 : interval);
  const start = clock.monotonic();
  return (sent) => Math.max(0, start + (sent * 1000) / rate - clock.monotonic()) + interval;
}

/** Collects events until they are worth a write, the line end of the last one apart if that must be left out. */
function createCollector({ exchange, writer }: EventStream) {
  let held = '\uFEFF'.repeat(exchange.fault.bom ?? 0);
  let owed = '';
  const release = async (): Promise<void> => {
    const text = held;
    held = '';
    if (text === '') return;
    await writer.write(text);
    await writer.flush();
  };
  return {
    release,
    /** Undefined while more may be added at once. */
    add(event: string): Promise<void> | undefined {
      held += owed + event;
      if (exchange.fault.unterminated === true) {
        const text = held.replace(/[\r\n]+$/, '');
        owed = held.slice(text.length);
        held = text;
      }
      return held.length < batch ? undefined : release();
    },
  };
}

interface Sender {
  readonly stream: EventStream;
  readonly faulty: ReadonlySet<number>;
  readonly timeToNext: (sent: number) => number;
  readonly events: ReturnType<typeof createCollector>;
}

/** Sends payloads that are ready. */
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
      await events.release();
      await pause(exchange, wait);
    }
    if (faulty.has(number)) {
      await events.release();
      const outcome = await applyEventFault(stream, number, data);
      if (outcome === 'cut') return 'cut';
      if (outcome !== 'send') record.events = number;
      if (outcome === 'end') return 'end';
      if (outcome === 'sent') continue;
    }
    const full = events.add(format(data));
    if (full !== undefined) await full;
    record.events = number;
  }
  await events.release();
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
    events: createCollector(stream),
  };
  for await (const payloads of groups) {
    const outcome = await sendGroup(sender, payloads);
    if (outcome !== 'sent') return outcome === 'end';
  }
  return true;
}

/**
 * Streams a completion. The headers leave at once, the first event when the model's latency has passed since the
 * request arrived.
 */
export async function answerWithEvents(
  exchange: Exchange,
  completion: Completion,
  latency: number,
): Promise<void> {
  const { clock, fault, record, response } = exchange;
  record.status = 200;
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
