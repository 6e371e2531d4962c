import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { CompletionRequest } from '../client/contract.ts';
import type { ChatEvent } from '../client/events.ts';
import type { Clock } from '../clock.ts';
import type { Failure } from '../failure.ts';
import type { Fault } from './faults/fault-fields.ts';
import type { createFaultRules } from './faults/fault-rules.ts';
import type { createRateLimiter } from './keys.ts';
import type { RequestRecord } from './request-record.ts';

const mebibyte = 1024 * 1024;

/**
 * Limits of one sandbox, in bytes and milliseconds. The contract states no sizes; those of a body and an answer are
 * several times the larger window.
 */
export const defaultLimits = {
  /** The request line and all headers. */
  head: 16 * 1024,
  /** The time from the connection to the end of the head. */
  headTime: 10_000,
  /** The time from the connection to the end of the body. */
  requestTime: 60_000,
  connections: 2048,
  body: 32 * mebibyte,
  /** All bodies in memory. */
  bodies: 256 * mebibyte,
  /** A refused body is discarded up to this size, so that its sender can read the answer. */
  droppedBody: 64 * mebibyte,
  /** How long a refused body may take to arrive. */
  droppedTime: 5000,
  /** Characters of an answer that is sent in one piece. */
  answer: 8 * mebibyte,
};

export type SandboxLimits = Readonly<typeof defaultLimits>;

export interface Exchange {
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
  /** Ends the reading of the body, the rest of which cannot be read; undefined when none is being read. */
  refuseBody: ((failure: Failure) => void) | undefined;
}

/**
 * Answers in place of the sandbox's own replies. The request has only the contract's fields. It throws a
 * {@link Failure} if it cannot answer, and the signal's reason after an abort.
 */
export type Engine = (request: CompletionRequest, signal: AbortSignal) => AsyncIterable<ChatEvent>;

/** Shared by all requests of one sandbox. */
export interface SandboxState {
  readonly clock: Clock;
  readonly limits: SandboxLimits;
  readonly rules: ReturnType<typeof createFaultRules>;
  readonly admit: ReturnType<typeof createRateLimiter>;
  readonly latency: Readonly<Record<string, number>>;
  /** Undefined: the sandbox generates its own replies. */
  readonly engine: Engine | undefined;
  /** Ignores fields of a prompt that the contract does not have. */
  readonly isLenient: boolean;
  readonly log: ((line: string) => void) | undefined;
  /** The current exchange of each connection. */
  readonly open: WeakMap<Duplex, Exchange>;
  isClosing: boolean;
  requests: number;
  /** The size of the request bodies in memory. */
  bodyBytes: number;
}

/** `Infinity` waits until the connection closes. @throws the signal's reason when it closes */
export function pause({ clock, signal }: Exchange, milliseconds: number): Promise<void> {
  return clock.sleep(milliseconds, signal);
}
