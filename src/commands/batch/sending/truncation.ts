import type { Tally } from '../../../batch/tally.ts';
import { truncationFailure, truncationWarning } from '../../../output/truncated-prompt.ts';
import type { ItemOutcome } from './item-attempt.ts';

export interface TruncationRun {
  readonly tally: Tally;
  /** Of `--strict`. */
  readonly isStrict: boolean;
  /** Reports the first prompt that was probably cut. */
  readonly warnTruncated: (warning: string) => void;
}

/** The warning of a run with a file of results. */
export const truncatedResult = (warning: string): string =>
  `${warning} (results have truncated_suspected)`;

/**
 * Counts a prompt that was probably cut, and warns about the first one.
 * @returns the outcome; with `--strict` a failure, whose text is kept
 */
export function noteTruncation(run: TruncationRun, outcome: ItemOutcome): ItemOutcome {
  const { tally, isStrict, warnTruncated } = run;
  const { metadata, failure } = outcome;
  if (metadata.estimatedPromptTokens === undefined) return outcome;
  tally.truncated += 1;
  if (tally.truncated === 1) warnTruncated(truncationWarning(metadata) ?? '');
  if (!isStrict || failure !== undefined) return outcome;
  return { ...outcome, failure: truncationFailure(metadata) };
}
