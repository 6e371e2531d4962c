import type { GlobalOptions } from '../../program/global-options.ts';
import type { BatchOptions } from '../plan.ts';

/** Options of every command for a queue. */
export interface QueueOptions extends GlobalOptions {
  readonly queue?: string;
  readonly batch?: string;
}

/** Numbers are unparsed text. */
export interface SubmitOptions extends BatchOptions, QueueOptions {
  readonly attempts: string;
  readonly rpm?: string;
}

export interface WorkOptions extends QueueOptions {
  readonly responseFormat?: string;
  readonly budget?: string;
  readonly keepGoing?: boolean;
  readonly strict?: boolean;
  readonly redact?: boolean;
  readonly allowSecrets?: boolean;
  readonly concurrency: string;
  readonly retryIncomplete: string;
  readonly stopAfter?: string;
  readonly rpm?: string;
  readonly tpm?: string;
  readonly wait?: boolean;
  /** The file of `--summary`. */
  readonly summary?: string;
}

export interface StatusOptions extends QueueOptions {
  readonly json?: boolean;
}

export interface CollectOptions extends QueueOptions {
  readonly output?: string;
  readonly unordered?: boolean;
  readonly remove?: boolean;
  /** Removes also a batch with items that have no result. */
  readonly force?: boolean;
}
