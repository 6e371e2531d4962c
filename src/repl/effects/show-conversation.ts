import { pathOf, titleOf, type Conversation, type Turn } from '../../conversation/tree.ts';
import { notice, type Entry } from '../entry.ts';
import { versionsOf } from '../position.ts';

/** Turns that are shown again when a conversation is gone on with; more would bury the prompt. */
const mostTurns = 6;

/** A turn as the transcript shows it again. */
export function turnEntries(conversation: Conversation, turn: Turn): readonly Entry[] {
  const { versions, index } = versionsOf(conversation, turn);
  const text = `version ${index + 1}/${versions.length}; /version switches`;
  const version = versions.length < 2 ? [] : [notice(text)];
  if (turn.role === 'system') return [];
  if (turn.role === 'user') return [...version, { type: 'prompt', text: turn.content }];
  if (turn.content === '') return [notice('no answer came')];
  const cut = turn.incomplete === true ? [notice('cut off; /continue goes on from here')] : [];
  return [{ type: 'answer', text: turn.content, model: turn.model }, ...cut, ...version];
}

/** The end of a conversation that is opened again. */
export function showConversation(conversation: Conversation): readonly Entry[] {
  const turns = pathOf(conversation).filter(({ role }) => role !== 'system');
  const shown = turns.slice(-mostTurns);
  const left = turns.length - shown.length;
  const title = titleOf(conversation);
  const earlier = left === 0 ? '' : `; ${left} earlier turns are not shown`;
  const head = notice(`${conversation.id}${title === '' ? '' : `: ${title}`}${earlier}`);
  return [head, ...shown.flatMap((turn) => turnEntries(conversation, turn))];
}
