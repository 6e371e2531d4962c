import { commandWords } from '../../../src/commands/program/remedy-words.ts';
import type { FailureKind } from '../../../src/failure.ts';
import { commonWords } from '../../../src/output/remedy-words.ts';

export interface FailureMessage {
  /** Undefined where the kind is that of the cause. */
  readonly kind: FailureKind | undefined;
  readonly message: string;
  readonly hints: readonly string[];
  /** From a run; undefined where samples are filled in. */
  readonly example?: string;
}

/** The words of the command line, in which data that only a run knows is `<name>`. */
export function remedyHint(code: string, data: Readonly<Record<string, unknown>>): string {
  const words = { ...commonWords, ...commandWords } as Readonly<
    Record<string, ((data: object) => string) | undefined>
  >;
  return words[code]?.(data) ?? '';
}
