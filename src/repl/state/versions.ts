import { textOf, type Conversation, type Turn } from '../../conversation/tree.ts';
import type { PromptAndAnswer } from './position.ts';

interface Versions {
  /** The last turn of each version, oldest first: the answer, or the prompt if it has none. */
  readonly ends: readonly Turn[];
  /** Index of the version in use. */
  readonly index: number;
}

/** The parent of a prompt, skipping system prompts, which may differ between versions. */
function placeOf(conversation: Conversation, { parent }: Turn): string | undefined {
  const before = parent === undefined ? undefined : conversation.turns.get(parent);
  return before?.role === 'system' ? placeOf(conversation, before) : parent;
}

/**
 * Every version of a prompt with each of its answers. Unanswered prompts and empty answers are omitted, except the
 * ones in use.
 */
export function versionsOf(
  conversation: Conversation,
  { prompt, answer }: PromptAndAnswer,
): Versions {
  const place = placeOf(conversation, prompt);
  const turns = [...conversation.turns.values()];
  const prompts = turns.filter(
    (turn) => turn.role === 'user' && placeOf(conversation, turn) === place,
  );
  const promptIds = new Set<string | undefined>(prompts.map(({ id }) => id));
  const own = answer ?? prompt;
  const ends = turns.filter((turn) => {
    const isAnswer = turn.role === 'assistant' && promptIds.has(turn.parent);
    return (isAnswer && textOf(turn) !== '') || turn.id === own.id;
  });
  return { ends, index: ends.findIndex(({ id }) => id === own.id) };
}

/** Undefined for a single version. */
export function versionText(conversation: Conversation, pair: PromptAndAnswer): string | undefined {
  const { ends, index } = versionsOf(conversation, pair);
  return ends.length < 2 ? undefined : `version ${index + 1}/${ends.length}; /version switches`;
}
