import type { ChatOptions } from '../chat/chat-run.ts';

/** What `--resume` names if it may open the list: not with a prompt, for which it means one conversation. */
export function listedName(
  { resume, continue: isContinued }: ChatOptions,
  words: readonly string[],
): string | true | undefined {
  return isContinued === true || words.length > 0 ? undefined : resume;
}
