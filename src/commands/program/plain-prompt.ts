import type { ChatOptions } from '../chat/chat-run.ts';
import { commandNames } from './command-names.ts';

const commandWords: ReadonlySet<string | undefined> = new Set(['__complete', ...commandNames]);

const plainOptions: ChatOptions = { color: 'auto', input: true, stream: true, stdin: true };

export interface PlainPrompt {
  readonly words: readonly string[];
  readonly options: ChatOptions;
}

/** Parses the most frequent command lines without loading the command tree. Undefined for any other. */
export function parsePlainPrompt(line: readonly string[]): PlainPrompt | undefined {
  const words = line.filter((word) => word !== '--sandbox');
  const isPrompt = words[0] === 'chat';
  const options = {
    ...plainOptions,
    ...(words.length < line.length && { sandbox: true }),
    ...(isPrompt && { isPrompt }),
  };
  const prompt = isPrompt ? words.slice(1) : words;
  if (!isPrompt && commandWords.has(words[0])) return undefined;
  return prompt.some((word) => word.startsWith('-')) ? undefined : { words: prompt, options };
}
