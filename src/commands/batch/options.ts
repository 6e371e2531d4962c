import type { InputFormat } from '../../batch/input/input-format.ts';
import type { GlobalOptions } from '../program/global-options.ts';

/** Options of `natter batch`. Values of settings and numbers are unparsed text. */
export interface BatchOptions extends GlobalOptions {
  readonly format?: InputFormat;
  readonly template?: string;
  readonly shard?: string;
  readonly output?: string;
  readonly unordered?: boolean;
  readonly dryRun?: boolean;
  readonly concurrency: string;
  readonly retryIncomplete: string;
  readonly model?: string;
  readonly system?: string;
  readonly maxTokens?: string;
  readonly param?: readonly string[];
  /** False with `--no-stream`. */
  readonly stream: boolean;
}

export interface MergeOptions extends GlobalOptions {
  readonly output?: string;
  readonly force?: boolean;
}
