import { type Exchange, pause } from '../exchange.ts';
import { chunkPayloads } from './chunk-payloads.ts';
import type { Completion } from './completion.ts';
import { disturb, disturbedEvents, type EventStream } from './disturbances.ts';
import { createEventFormat } from './event-format.ts';
import { afterAnswer } from './interruptions.ts';
import { openBodyWriter } from './body-writer.ts';
import { applyFraming, responseHeaders } from './response-head.ts';

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
function createCollector({ exchange, outlet }: EventStream) {
  let held = '\uFEFF'.repeat(exchange.fault.bom ?? 0);
  let owed = '';
  const release = async (): Promise<void> => {
    const text = held;
    held = '';
    if (text === '') return;
    await outlet.write(text);
    await outlet.flush();
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
  readonly disturbed: ReadonlySet<number>;
  readonly timeToNext: (sent: number) => number;
  readonly events: ReturnType<typeof createCollector>;
}

/** Sends payloads that are ready. */
async function sendGroup(
  { stream, disturbed, timeToNext, events }: Sender,
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
    if (disturbed.has(number)) {
      await events.release();
      const outcome = await disturb(stream, number, data);
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
    disturbed: disturbedEvents(exchange),
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
  const outlet = await openBodyWriter(exchange);
  await pause(exchange, Math.max(0, exchange.arrived + latency - clock.monotonic()));
  const stream = { exchange, outlet, format: createEventFormat(fault) };
  if (!(await sendEvents(stream, chunkPayloads(completion, fault)))) return;
  afterAnswer(exchange, () => {
    outlet.end();
  });
}
