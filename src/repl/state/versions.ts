import { textOf, type Conversation, type Turn } from '../../conversation/tree.ts';
import type { Exchange } from './position.ts';

/** Where an exchange stands among the others in its place. */
interface Versions {
  /** The turn each ends with, oldest first: its answer, or its prompt where none came. */
  readonly ends: readonly Turn[];
  /** Of the exchange itself. */
  readonly index: number;
}

/** What a prompt follows, system prompts passed over: they may differ between versions. */
function placeOf(conversation: Conversation, { parent }: Turn): string | undefined {
  const before = parent === undefined ? undefined : conversation.turns.get(parent);
  return before?.role === 'system' ? placeOf(conversation, before) : parent;
}

/**
 * The versions of an exchange: every prompt that was sent in its place, with each of its answers. Prompts that were
 * never answered and answers without text are none, except the exchange's own.
 */
export function versionsOf(conversation: Conversation, { prompt, answer }: Exchange): Versions {
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

/** `version 2/3; /version switches`; undefined for an exchange with one version. */
export function versionText(conversation: Conversation, exchange: Exchange): string | undefined {
  const { ends, index } = versionsOf(conversation, exchange);
  return ends.length < 2 ? undefined : `version ${index + 1}/${ends.length}; /version switches`;
}
