import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CompletionRequest } from '../client/contract.ts';
import type { ChatEvent } from '../client/events.ts';
import type { Clock } from '../clock.ts';
import type { Fault } from './faults/fault-fields.ts';
import type { createFaultRules } from './faults/fault-rules.ts';
import type { createRateLimiter } from './keys.ts';
import type { RequestRecord } from './request-record.ts';

export interface Exchange {
  readonly state: SandboxState;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly clock: Clock;
  /** When the request arrived, by the clock's monotonic milliseconds. */
  readonly arrived: number;
  /** Aborts when either side closes the connection before the end of the answer. */
  readonly signal: AbortSignal;
  /** Counts from 1, in the order of arrival. */
  readonly number: number;
  /** The record of the request in the log. */
  readonly record: RequestRecord;
  /** Empty until the request has been read. */
  fault: Fault;
}

/**
 * Answers in place of the sandbox's own replies. The request has only the contract's fields. It throws a
 * {@link Failure} if it cannot answer, and the signal's reason after an abort.
 */
export type Engine = (request: CompletionRequest, signal: AbortSignal) => AsyncIterable<ChatEvent>;

/** Shared by all requests of one sandbox. */
export interface SandboxState {
  readonly clock: Clock;
  readonly rules: ReturnType<typeof createFaultRules>;
  readonly admit: ReturnType<typeof createRateLimiter>;
  readonly latency: Readonly<Record<string, number>>;
  /** Undefined: the sandbox generates its own replies. */
  readonly engine: Engine | undefined;
  /** Ignores fields of a prompt that the contract does not have. */
  readonly isLenient: boolean;
  readonly log: ((line: string) => void) | undefined;
  isClosing: boolean;
  requests: number;
}

/** `Infinity` waits until the connection closes. @throws the signal's reason when it closes */
export function pause({ clock, signal }: Exchange, milliseconds: number): Promise<void> {
  return clock.sleep(milliseconds, signal);
}
