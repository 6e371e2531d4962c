import type { GlobalOptions } from '../program/global-options.ts';

/** Options of `natter sandbox`; the fault fields come beside them, under their camel-case names. */
export interface SandboxCommandOptions extends GlobalOptions {
  readonly host: string;
  readonly port: string;
  readonly log?: boolean;
  readonly scenario?: string;
  readonly rateLimit?: string;
  readonly upstream?: string;
  readonly upstreamProfile?: string;
  /** As typed: `origin=llama3:8b`. */
  readonly map?: readonly string[];
  readonly [faultField: string]: unknown;
}
