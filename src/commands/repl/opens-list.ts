import type { ChatOptions } from '../chat/run.ts';

/** Whether `--resume` without a conversation opens the list: with a prompt, it means the latest one. */
export function opensList(
  { resume, continue: isContinued }: ChatOptions,
  words: readonly string[],
): boolean {
  return resume === true && isContinued !== true && words.length === 0;
}
