import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../clock.ts';
import type { Failure } from '../failure.ts';
import type { Engine } from './engine.ts';
import type { Fault } from './faults/fault-fields.ts';
import type { FaultRules } from './faults/fault-rules.ts';
import type { RateLimiter } from './keys.ts';
import type { SandboxLimits } from './limits.ts';
import type { RequestRecord } from './request-record.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly clock: Clock;
  /** When the request arrived, by the clock's monotonic milliseconds. */
  readonly arrived: number;
  /** Aborts when either side closes the connection before the end of the answer. */
  readonly signal: AbortSignal;
  /** From 1, in the order of arrival. */
  readonly number: number;
  /** For the log. */
  readonly record: RequestRecord;
  /** Empty until the request has been read. */
  fault: Fault;
  /** Ends the reading of the body, the rest of which cannot be read; undefined when none is being read. */
  refuseBody: ((failure: Failure) => void) | undefined;
}

/** Shared by all requests of one sandbox. */
export interface SandboxState {
  readonly clock: Clock;
  readonly limits: SandboxLimits;
  readonly rules: FaultRules;
  readonly limiter: RateLimiter;
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
  /** Of the request bodies in memory. */
  bodyBytes: number;
}

/** `Infinity` waits until the connection closes. @throws the signal's reason when it closes */
export function pause({ clock, signal }: Exchange, milliseconds: number): Promise<void> {
  return clock.sleep(milliseconds, signal);
}
