import type { Duplex } from 'node:stream';
import type { Clock } from '../clock.ts';
import type { Failure } from '../failure.ts';
import type { Engine } from './engine.ts';
import type { Exchange } from './exchange.ts';
import type { FaultRules } from './faults/fault-rules.ts';
import type { SandboxLimits } from './limits.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { BodyRoom } from './read-body.ts';

/** An exchange, and how to say that the rest of its request cannot be read. */
interface OpenExchange {
  readonly exchange: Exchange;
  readonly refuse: (failure: Failure) => void;
}

/** What all requests of one sandbox share. */
export interface SandboxState {
  readonly clock: Clock;
  readonly limits: SandboxLimits;
  readonly room: BodyRoom;
  readonly rules: FaultRules;
  readonly limiter: RateLimiter;
  readonly latency: Readonly<Record<string, number>>;
  /** Absent: the sandbox makes its own replies. */
  readonly engine: Engine | undefined;
  readonly log: ((line: string) => void) | undefined;
  /** The exchange that each connection is busy with. */
  readonly open: WeakMap<Duplex, OpenExchange>;
  isClosing: boolean;
  requests: number;
}
