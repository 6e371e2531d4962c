import { commandHints } from '../../../src/commands/program/report.ts';
import type { FailureKind } from '../../../src/failure.ts';
import { commonHints } from '../../../src/output/remedy-hints.ts';

export interface FailureMessage {
  /** Undefined: the kind is that of the cause. */
  readonly kind: FailureKind | undefined;
  readonly message: string;
  readonly hints: readonly string[];
  /** Made by a function of src; undefined: made from samples. */
  readonly example?: string;
}

/** The hint on the command line; values known only at run time are `<name>`. */
export function remedyHint(code: string, data: Readonly<Record<string, unknown>>): string {
  const words = { ...commonHints, ...commandHints } as Readonly<
    Record<string, ((data: object) => string) | undefined>
  >;
  return words[code]?.(data) ?? '';
}
