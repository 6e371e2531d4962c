import { type Exchange } from '../exchange.ts';
import { afterAnswer, cut, cutPosition, stall } from './interruptions.ts';
import { openBodyWriter } from './body-writer.ts';
import { applyFraming, responseHeaders } from './response-head.ts';

export interface WholeAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The length is known only for a body that is sent whole and unchanged. */
function lengthHeader({ fault }: Exchange, { status, text }: WholeAnswer): Record<string, string> {
  const untold =
    status === 204 ||
    status === 304 ||
    fault.encoding !== undefined ||
    fault.framing !== undefined ||
    fault.cut === 'end';
  return untold ? {} : { 'content-length': String(Buffer.byteLength(text)) };
}

/** How much of the body precedes a stall or cut: nothing right after the headers, else half. */
function partBefore(text: string, events: number): string {
  return events === 0 ? '' : text.slice(0, Math.ceil(text.length / 2));
}

/** Sends an answer that is not an event stream, with its fault. */
export async function sendWhole(exchange: Exchange, answer: WholeAnswer): Promise<void> {
  const { fault, record, response } = exchange;
  const { status, contentType, text } = answer;
  record.status = status;
  applyFraming(exchange);
  response.writeHead(status, {
    ...lengthHeader(exchange, answer),
    ...answer.headers,
    ...responseHeaders(exchange, contentType),
  });
  response.flushHeaders();
  const outlet = await openBodyWriter(exchange);
  const cutAfter = cutPosition(fault);
  const stallAfter = fault['stall-after'];
  const interruption = stallAfter ?? cutAfter;
  const first = typeof interruption === 'number' ? partBefore(text, interruption) : '';
  await outlet.write(first);
  await outlet.flush();
  if (stallAfter !== undefined) await stall(exchange, async () => {});
  if (typeof cutAfter === 'number') {
    await cut(exchange);
    return;
  }
  await outlet.write(text.slice(first.length));
  afterAnswer(exchange, () => {
    outlet.end();
  });
}

/** Sends a value as JSON. */
export async function sendJson(exchange: Exchange, value: unknown): Promise<void> {
  const text = JSON.stringify(value);
  await sendWhole(exchange, { status: 200, contentType: 'application/json', text });
}
