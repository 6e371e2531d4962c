import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import type { Fault } from './faults/fault-fields.ts';
import type { RequestRecord } from './request-record.ts';

/** One request being answered. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly clock: Clock;
  /** When the request arrived, by the clock's monotonic milliseconds. */
  readonly arrived: number;
  /** Aborts when the connection closes, whoever closes it. */
  readonly signal: AbortSignal;
  /** Aborts with a Failure when the rest of the request cannot be read. */
  readonly unreadable: AbortSignal;
  /** From 1, in the order of arrival. */
  readonly number: number;
  /** What the log will say. */
  readonly record: RequestRecord;
  /** What the answer is asked to do; known once the request was read. */
  fault: Fault;
}

/**
 * Waits; `Infinity` waits until the connection closes.
 * @throws the signal's reason when it closes
 */
export function pause(
  { clock, signal }: Pick<Exchange, 'clock' | 'signal'>,
  milliseconds: number,
): Promise<void> {
  return clock.sleep(milliseconds, signal);
}
