import type { GlobalOptions } from '../program/global-options.ts';
import type { ConversationOptions, PromptOptions } from '../prompt/prompt-options.ts';

/** Options of `natter compare`. */
export interface CompareOptions extends GlobalOptions, PromptOptions, ConversationOptions {
  /** Lists of models, each as typed. */
  readonly models?: readonly string[];
  readonly diff?: boolean;
  readonly stacked?: boolean;
  readonly plain?: boolean;
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly dryRun?: boolean;
}
