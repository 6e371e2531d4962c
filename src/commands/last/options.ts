import type { GlobalOptions } from '../program/global-options.ts';

export interface LastOptions extends GlobalOptions {
  /** Number of a code block, unparsed. */
  readonly block?: string;
  readonly plain?: boolean;
}
