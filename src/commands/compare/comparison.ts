import type { AnswerFormat } from '../../output/answer-format.ts';
import type { CheckOptions, SelectOptions } from '../check/check-options.ts';
import type { AnswerCheck } from '../check/open-check.ts';
import type { Presentation } from '../print/presentation.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import type { SecretGuard } from '../prompt/guard/secret-guard.ts';
import type { ConversationOptions, PromptOptions } from '../prompt/prompt-options.ts';
import type { ComparedModel } from './models.ts';

/** Options of `natter compare`. */
export interface CompareOptions
  extends GlobalOptions, PromptOptions, ConversationOptions, CheckOptions, SelectOptions {
  /** Comma-separated lists. */
  readonly models?: readonly string[];
  readonly diff?: boolean;
  readonly stacked?: boolean;
  readonly plain?: boolean;
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly dryRun?: boolean;
}

export interface Comparison {
  readonly context: Context;
  readonly options: CompareOptions;
  readonly presentation: Presentation;
  readonly models: readonly ComparedModel[];
  readonly prompt: string;
  readonly format: AnswerFormat;
  /** Undefined if the answers are not checked. */
  readonly check: AnswerCheck | undefined;
  /** Undefined if nothing in the prompt is checked for secrets. */
  readonly guard: SecretGuard | undefined;
}
