import type { ChatOptions } from './options.ts';
import { nearlyNamed } from '../program/command-line.ts';
import { commandWords } from '../program/command-table.ts';

/** The longest command with its arguments that is taken for a mistyped one, in words. */
const mostWords = 4;
const shortestWord = 3;

/**
 * Whether a prompt that is to be sent may be a mistyped command: asked before the command tree is read, which most
 * prompts are spared.
 */
export function mayBeCommand(
  words: readonly string[],
  { isPrompt, dryRun }: Pick<ChatOptions, 'isPrompt' | 'dryRun'>,
): boolean {
  const [first = ''] = words;
  const isWord = first.length >= shortestWord && /^[a-z-]+$/i.test(first);
  if (isPrompt === true || dryRun === true || !isWord || words.length > mostWords) return false;
  return words.length === 1 || nearlyNamed(first, commandWords) !== undefined;
}
