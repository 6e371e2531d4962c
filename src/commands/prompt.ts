import { composePrompt, inputPlaceholder } from '../conversation/compose-prompt.ts';
import { requireEncoding } from '../conversation/decode-text.ts';
import { Failure } from '../failure.ts';
import { attachFiles } from './attach-files.ts';
import type { Context } from './context.ts';
import type { PromptOptions } from './prompt-options.ts';
import { readInput } from './read-input.ts';
import type { Notices } from '../output/notices.ts';

/** The prompt word that stands for standard input and requires it. */
const inputWord = '-';

/**
 * The text of the turn: prompt words, attached files and standard input, composed.
 * @param command how the command begins, for the example of a hint
 * @throws Failure of kind `usage` when there is nothing to send, or input that is asked for is not there
 */
export async function readPrompt(
  context: Context,
  notices: Notices,
  words: readonly string[],
  options: PromptOptions,
  command = 'natter',
): Promise<string> {
  const spoken = words.filter((word) => word !== inputWord);
  const prompt = spoken.join(' ');
  const names = options.file ?? [];
  const placed = options.stdin && prompt.includes(inputPlaceholder);
  if (placed && context.streams.stdin.isTerminal && spoken.length === words.length) {
    throw new Failure('usage', `the prompt holds ${inputPlaceholder}, but nothing is piped in`, {
      hint: 'pipe something in, or pass --no-stdin to send it as it is',
    });
  }
  if (!options.stdin && spoken.length < words.length) {
    throw new Failure('usage', '"-" asks for standard input, and --no-stdin leaves it alone', {
      hint: 'leave out one of them',
    });
  }
  const { stdinEncoding: encoding, lossy } = options;
  if (encoding !== undefined) requireEncoding(encoding);
  const files = await attachFiles(names, { encoding, lossy, signal: context.signal });
  const input = await readInput(context, notices, {
    required: spoken.length < words.length,
    ignored: !options.stdin,
    hasPrompt: prompt !== '' || names.length > 0,
    encoding,
    lossy,
  });
  const text = composePrompt({ prompt, files, input });
  if (text.trim() !== '') return text;
  throw new Failure('usage', 'there is nothing to send', {
    hint: `type a prompt, as in: ${command} "why is the sky blue?"`,
  });
}
