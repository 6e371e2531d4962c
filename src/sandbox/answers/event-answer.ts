import { type Exchange, pause } from '../exchange.ts';
import { chunkPayloads } from './chunk-payloads.ts';
import type { Completion } from './completion.ts';
import { createEventFormat, formatComment } from './event-format.ts';
import { afterAnswer, cut, cutPosition, stall } from './interruptions.ts';
import { corrupt, encodingOf } from './malformed-events.ts';
import { type BodyWriter, responseHeaders, sendHead } from './response-writer.ts';
import { errorText } from './whole-answer.ts';

/** Milliseconds until the next event is due, by the number of those sent; the first one is due immediately. */
function createPace({ clock, fault: { rate, drip } }: Exchange): (sent: number) => number {
  const interval = drip !== undefined && drip.bytes === undefined ? drip.interval : 0;
  if (rate === undefined) return (sent) => (sent === 0 ? 0 : interval);
  const start = clock.monotonic();
  return (sent) => Math.max(0, start + (sent * 1000) / rate - clock.monotonic()) + interval;
}

async function writeEndlessLine(body: BodyWriter): Promise<never> {
  await body.write('data: ');
  const filler = 'x'.repeat(16_384);
  for (;;) await body.write(filler);
}

/** @returns false when the answer was cut */
async function sendEvents(
  exchange: Exchange,
  body: BodyWriter,
  payloads: AsyncIterable<string>,
): Promise<boolean> {
  const { fault, record } = exchange;
  const format = createEventFormat(fault);
  const timeToNext = createPace(exchange);
  /** The line end of the last event, if the fault omits it. */
  let lineEnd = '';
  const send = (event: string, encoding: BufferEncoding = 'utf8') => {
    const text = fault.unterminated === true ? event.replace(/[\r\n]+$/, '') : event;
    const written = Buffer.from(lineEnd + text, encoding);
    lineEnd = event.slice(text.length);
    return body.write(written);
  };
  if (fault.bom !== undefined) await body.write('\uFEFF'.repeat(fault.bom));
  for await (const data of payloads) {
    const wait = timeToNext(record.events);
    if (wait > 0) await pause(exchange, wait);
    if (fault['stall-after'] === record.events) {
      await stall(exchange, () => body.write(formatComment(fault)));
    }
    if (cutPosition(fault) === record.events) {
      await cut(exchange);
      return false;
    }
    const number = record.events + 1;
    if (fault['error-at'] === number) {
      const { text } = errorText(exchange, 500, 'simulated failure in the middle of an answer');
      await send(format(text, fault['error-as'] === 'event' ? 'error' : undefined));
      record.events = number;
      return true;
    }
    if (fault['malformed-at'] === number) {
      const kind = fault['malformed-as'] ?? 'truncated';
      if (kind === 'endless') await writeEndlessLine(body);
      else await send(format(corrupt(data, kind)), encodingOf(kind));
    } else await send(format(data));
    record.events = number;
  }
  return true;
}

/** The headers are sent at once, the first event `latency` milliseconds after the request arrived. */
export async function answerWithEvents(
  exchange: Exchange,
  completion: Completion,
  latency: number,
): Promise<void> {
  const { clock, fault } = exchange;
  const body = sendHead(exchange, 200, {
    'cache-control': 'no-cache',
    ...responseHeaders(exchange, 'text/event-stream'),
  });
  await pause(exchange, Math.max(0, exchange.arrived + latency - clock.monotonic()));
  const isWhole = await sendEvents(exchange, body, chunkPayloads(completion, fault));
  if (isWhole) afterAnswer(exchange, () => body.end());
}
