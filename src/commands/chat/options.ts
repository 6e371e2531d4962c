import type { GlobalOptions } from '../program/global-options.ts';
import type { ConversationOptions, PromptOptions } from '../prompt/prompt-options.ts';

/** Options of `natter chat`, the default command. Values of settings are unparsed text. */
export interface ChatOptions extends GlobalOptions, PromptOptions, ConversationOptions {
  readonly model?: string;
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly plain?: boolean;
  readonly markdown?: boolean;
  readonly raw?: boolean;
  readonly reasoning?: boolean;
  readonly dryRun?: boolean;
  readonly interactive?: boolean;
  readonly accessible?: boolean;
  /** Explicitly a prompt, as in `natter chat modles` and `natter -- modles`. */
  readonly isPrompt?: boolean;
}
