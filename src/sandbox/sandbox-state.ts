import type { Duplex } from 'node:stream';
import type { Clock } from '../clock.ts';
import type { Engine } from './engine.ts';
import type { Exchange } from './exchange.ts';
import type { FaultRules } from './faults/fault-rules.ts';
import type { SandboxLimits } from './limits.ts';
import type { RateLimiter } from './keys.ts';
import type { BodyMemory } from './read-body.ts';

/** Shared by all requests of one sandbox. */
export interface SandboxState {
  readonly clock: Clock;
  readonly limits: SandboxLimits;
  readonly memory: BodyMemory;
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
}
