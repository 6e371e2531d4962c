import type { GlobalOptions } from '../program/global-options.ts';

export interface LoginOptions extends GlobalOptions {
  /** False with `--no-check`. */
  readonly check: boolean;
}
