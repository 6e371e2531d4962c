import {
  composePrompt,
  hasInputPlaceholder,
  inputPlaceholder,
  insertInput,
} from '../../conversation/compose-prompt.ts';
import { requireEncoding } from '../../conversation/decode-text.ts';
import { Failure } from '../../failure.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { attachFiles } from './attach-files.ts';
import type { Context } from '../program/context.ts';
import type { PromptOptions } from './prompt-options.ts';
import { readInput } from './read-input.ts';
import type { Notices } from '../../output/notices.ts';

/** The prompt word, and the name of a file, that means standard input and requires it. */
const inputWord = '-';

/** What a person asks, with standard input where it belongs. */
export interface ReadPrompt {
  /** Of the turn. */
  readonly prompt: string;
  /** The system prompt of `--system`, where standard input went into it. */
  readonly system: string | undefined;
}

/** Settings with the system prompt that {@link readPrompt} completed. */
export function withSystem(settings: ResolvedSettings, { system }: ReadPrompt): ResolvedSettings {
  return system === undefined ? settings : { ...settings, values: { ...settings.values, system } };
}

/** @throws Failure `usage` where standard input is asked for, and cannot be there */
function checkInput(
  { streams }: Context,
  { stdin, system }: PromptOptions,
  prompt: string,
  isRequired: boolean,
): void {
  if (!stdin && isRequired) {
    throw new Failure('usage', '"-" requires standard input, but --no-stdin ignores it', {
      hint: 'use only one of them',
    });
  }
  const place = hasInputPlaceholder(prompt)
    ? 'the prompt'
    : hasInputPlaceholder(system)
      ? '--system'
      : undefined;
  if (!stdin || place === undefined || !streams.stdin.isTerminal || isRequired) return;
  throw new Failure('usage', `${place} contains ${inputPlaceholder}, but nothing is piped in`, {
    hint: 'pipe something in, or use --no-stdin to send it unchanged',
  });
}

/**
 * The text of the turn: prompt words, attached files and standard input, composed; where `--system` holds
 * `{{stdin}}`, standard input goes there instead.
 * @param command how the command begins, for the example of a hint
 * @throws Failure of kind `usage` when there is nothing to send, or input that is asked for is not there
 */
export async function readPrompt(
  context: Context,
  notices: Notices,
  words: readonly string[],
  options: PromptOptions,
  command = 'natter',
): Promise<ReadPrompt> {
  const spoken = words.filter((word) => word !== inputWord);
  const prompt = spoken.join(' ');
  const names = (options.file ?? []).filter((name) => name !== inputWord);
  const required = spoken.length < words.length || options.file?.includes(inputWord) === true;
  checkInput(context, options, prompt, required);
  const { stdinEncoding: encoding, lossy } = options;
  if (encoding !== undefined) requireEncoding(encoding);
  const files = await attachFiles(names, { encoding, lossy, signal: context.signal });
  const input = await readInput(context, notices, {
    required,
    ignored: !options.stdin,
    hasPrompt: prompt !== '' || names.length > 0,
    encoding,
    lossy,
  });
  const system = input === undefined ? undefined : insertInput(options.system, input);
  const isInSystem = system !== undefined && !hasInputPlaceholder(prompt);
  const text = composePrompt({ prompt, files, input: isInSystem ? undefined : input });
  if (text.trim() !== '') return { prompt: text, system };
  throw new Failure('usage', 'there is nothing to send', {
    hint: `for example: ${command} "why is the sky blue?"`,
  });
}
