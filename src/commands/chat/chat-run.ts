import type { CheckOptions, SchemaSource, SelectOptions } from '../../ask/check.ts';
import {
  type AnswerFormat,
  chooseAnswerFormat,
  noticeClosedOutput,
} from '../../output/answer-printer.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { type Run, startRun } from '../program/run.ts';
import type { SecretGuard } from '../prompt/guard/secret-guard.ts';
import type { ConversationOptions, PromptOptions } from '../prompt/prompt-options.ts';

/** Options of `natter chat`, the default command. Values of settings are unparsed text. */
export interface ChatOptions
  extends GlobalOptions, PromptOptions, ConversationOptions, CheckOptions, SelectOptions {
  readonly model?: string;
  readonly fallback?: string;
  readonly every?: string;
  readonly split?: 'auto' | 'lines' | 'paragraphs';
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly plain?: boolean;
  readonly markdown?: boolean;
  readonly raw?: boolean;
  readonly reasoning?: boolean;
  readonly dryRun?: boolean;
  readonly interactive?: boolean;
  readonly accessible?: boolean;
}

/** A run of `natter chat` or `natter run`. */
export interface ChatRun extends Run<ChatOptions> {
  readonly format: AnswerFormat;
  /** Undefined if the input is not checked for secrets. */
  readonly guard?: SecretGuard | undefined;
  /** In the ledger; `chat` if undefined. */
  readonly command?: string;
  /** Of the command line; undefined for a prompt file. */
  readonly words?: readonly string[];
  /** Of a prompt file; `--schema` overrides it. */
  readonly ownSchema?: SchemaSource | undefined;
}

/** Decides how the answer is printed, before anything is read. @throws Failure `usage` for two formats */
export async function prepare(context: Context, options: ChatOptions): Promise<ChatRun> {
  const run = await startRun(context, options);
  noticeClosedOutput(context.streams.stdout, run.presentation.notices);
  return { ...run, format: chooseAnswerFormat(options, context.streams.stdout.isTerminal) };
}
