import type { CheckOptions, SchemaSource } from '../../ask/check.ts';
import type { Message } from '../../client/contract.ts';
import {
  type AnswerFormat,
  chooseAnswerFormat,
  type FormatOptions,
  refuseClosedOutput,
} from '../../output/answer-printer.ts';
import type { Action, Run, StartedRun } from '../../run.ts';
import { withSettings } from '../../settings/read-settings.ts';
import type { ConversationOptions } from '../../ask/open-conversation.ts';
import { inputWord, type PromptOptions } from '../../input/read-prompt.ts';
import type { SecretGuard } from '../../input/secret-guard.ts';

/** Options of `natter chat`, the default command. Values of settings are unparsed text. */
export interface ChatOptions
  extends PromptOptions, ConversationOptions, CheckOptions, FormatOptions {
  readonly model?: string;
  readonly fallback?: string;
  readonly every?: string;
  readonly split?: 'auto' | 'lines' | 'paragraphs';
  readonly thinkTags?: string;
  readonly reasoning?: boolean;
  readonly interactive?: boolean;
}

/** What a prompt is sent with; its words are the prompt. */
export type ChatAction = Action<ChatOptions, [words: readonly string[]]>;

/** A run of `natter chat` or `natter run`. */
export interface ChatRun extends Run<ChatOptions> {
  readonly format: AnswerFormat;
  readonly guard?: SecretGuard | undefined;
  /** The command in the ledger; `chat` if undefined. */
  readonly command?: string;
  /** Prompts and answers before the prompt; none if undefined. */
  readonly history?: readonly Message[];
  /** The words of the command line; undefined for a prompt file. */
  readonly words?: readonly string[];
  /** What the JSON has besides the answer: the cost and the conversation. */
  readonly jsonFields?: () => object;
  /** A prompt that is refused for its length is cut, so nothing is printed about it. */
  readonly cutsRefused?: boolean;
  /** The schema of a prompt file; `--schema` overrides it. */
  readonly ownSchema?: SchemaSource | undefined;
}

/** The words of a prompt as one text, without the word for standard input. */
export const promptOf = (words: readonly string[]): string =>
  words.filter((word) => word !== inputWord).join(' ');

/** Decides how the answer is printed, and reads the settings, before anything is read. @throws Failure */
export function prepare(started: StartedRun<ChatOptions>): ChatRun {
  const { stdout } = started.context.streams;
  const { options: given } = started;
  const format = chooseAnswerFormat(given, stdout.isTerminal);
  // The bytes of an answer have the tags.
  const options = given.raw === true ? { ...given, thinkTags: 'answer' } : given;
  const run = withSettings({ ...started, options });
  refuseClosedOutput(stdout, run.settings.values.save);
  return { ...run, format };
}
