import type { ChatOptions } from './chat.ts';
import { commandWords } from './command-table.ts';

const commandNames: ReadonlySet<string | undefined> = new Set([
  'chat',
  '__complete',
  ...commandWords,
]);

/**
 * Whether a command line is a prompt and nothing else, or nothing at all: most are, and what there is to parse in
 * them can be told before the command tree is loaded.
 */
export function isPlainPrompt(words: readonly string[]): boolean {
  return !commandNames.has(words[0]) && !words.some((word) => word.startsWith('-'));
}

/** What parsing a plain prompt gives. */
export const plainOptions: ChatOptions = { color: 'auto', input: true, stream: true, stdin: true };
