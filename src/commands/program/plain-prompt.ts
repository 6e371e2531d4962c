import type { ChatOptions } from '../chat/options.ts';
import { commandWords } from './command-table.ts';

const commandNames: ReadonlySet<string | undefined> = new Set(['__complete', ...commandWords]);

const plainOptions: ChatOptions = { color: 'auto', input: true, stream: true, stdin: true };

/** A prompt, possibly empty, and its options. */
export interface PlainPrompt {
  readonly words: readonly string[];
  readonly options: ChatOptions;
}

/**
 * What a command line says that is a prompt and nothing else, or nothing at all, with or without `chat` and
 * `--sandbox`: most are such, and what there is to parse in them can be told before the command tree is loaded.
 * Undefined for any other.
 */
export function parsePlainPrompt(line: readonly string[]): PlainPrompt | undefined {
  const words = line.filter((word) => word !== '--sandbox');
  const isPrompt = words[0] === 'chat';
  const options = {
    ...plainOptions,
    ...(words.length < line.length && { sandbox: true }),
    ...(isPrompt && { isPrompt }),
  };
  const prompt = isPrompt ? words.slice(1) : words;
  if (!isPrompt && commandNames.has(words[0])) return undefined;
  return prompt.some((word) => word.startsWith('-')) ? undefined : { words: prompt, options };
}
