import type { Candidate, CompletionRequest } from '../editing/completion.ts';

/** Proposals for what stands at the caret. */
export interface CompletionMenu {
  readonly request: CompletionRequest;
  /** Those that fit, best first; never none. */
  readonly candidates: readonly Candidate[];
  readonly selected: number;
}
