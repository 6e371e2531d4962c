import type { Exchange } from '../exchange.ts';
import { errorText } from './error-answer.ts';
import { type EventFormat, formatComment } from './event-format.ts';
import { cut, cutPosition, stall } from './interruptions.ts';
import { encodingOf, corrupt } from './malformed-events.ts';
import type { BodyWriter } from './body-writer.ts';

/** An event stream that has begun. */
export interface EventStream {
  readonly exchange: Exchange;
  readonly outlet: BodyWriter;
  readonly format: EventFormat;
}

/** Numbers of the events (from 1) with a fault; the others are sent directly. */
export function disturbedEvents({ fault }: Exchange): ReadonlySet<number> {
  const cutAfter = cutPosition(fault);
  const stallAfter = fault['stall-after'];
  return new Set([
    ...(typeof cutAfter === 'number' ? [cutAfter + 1] : []),
    ...(stallAfter === undefined ? [] : [stallAfter + 1]),
    ...[fault['error-at'], fault['malformed-at']].filter((number) => number !== undefined),
  ]);
}

async function sendError({ exchange, outlet, format }: EventStream): Promise<void> {
  const { text } = errorText(exchange, 500, 'the sandbox was asked to fail in the middle');
  await outlet.write(format(text, exchange.fault['error-as'] === 'event' ? 'error' : undefined));
}

async function sendSpoilt(stream: EventStream, data: string): Promise<void> {
  const { exchange, outlet, format } = stream;
  const kind = exchange.fault['malformed-as'] ?? 'truncated';
  if (kind !== 'endless') {
    await outlet.write(Buffer.from(format(corrupt(data, kind)), encodingOf(kind)));
    return;
  }
  await outlet.write('data: ');
  const more = 'x'.repeat(16_384);
  for (;;) await outlet.write(more);
}

async function stallStream({ exchange, outlet }: EventStream): Promise<void> {
  await stall(exchange, async () => {
    await outlet.write(formatComment(exchange.fault));
    await outlet.flush();
  });
}

/**
 * Applies the fault to event `number`.
 * @param data the payload of the proper event
 * @returns whether the event is still to be sent, was sent in another form, or the answer was cut or ends here
 */
export async function disturb(
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
  await sendSpoilt(stream, data);
  return 'sent';
}
