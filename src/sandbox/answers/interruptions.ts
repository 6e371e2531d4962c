import { once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type Exchange, pause } from '../exchange.ts';
import type { Fault } from '../faults/fault-fields.ts';

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
  if (fault.cut !== 'rst') {
    await breakOff(exchange);
    return;
  }
  await nextTurn();
  if (socket === null || socket.destroyed) return;
  if (socket.writableNeedDrain) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  await sleep(grace);
  socket.resetAndDestroy();
}

/** Sends nothing, or only comments. @param comment sends one */
export async function stall(exchange: Exchange, comment: () => Promise<void>): Promise<void> {
  const { 'stall-for': length = Infinity, 'keep-alive': interval = Infinity } = exchange.fault;
  for (let left = length; left > 0; left -= interval) {
    await pause(exchange, Math.min(left, interval));
    if (left > interval) await comment();
  }
}

/** Faults after a complete answer. */
export function afterAnswer({ response, fault, record }: Exchange, end: () => void): void {
  record.ended = 'done';
  if (fault['hold-open'] === true) return;
  if (fault['close-after'] === true) {
    const { socket } = response;
    response.once('finish', () => socket?.destroySoon());
  }
  end();
}
