import type { Message, Usage } from '../client/contract.ts';
import type { Timing } from '../client/events.ts';
import type { FailureKind } from '../failure.ts';

export type Role = 'system' | 'user' | 'assistant';

/** How an answer ended. */
export interface AnswerEnd {
  /** The model that answered, or the one in the request. */
  readonly model?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
  readonly timing?: Timing;
  /** The answer was cut, or is still being received; its text so far is kept. */
  readonly incomplete?: boolean;
  /** Why the answer was cut or never came; absent for one that natter's own end cut short. */
  readonly failure?: FailureKind;
}

/** One turn of a conversation; an answer has its end. Turns form a tree: turns with the same parent are siblings, versions of each other. */
export interface Turn extends AnswerEnd {
  /** Unique within its conversation. */
  readonly id: string;
  /** Undefined for a turn that opens the conversation. */
  readonly parent: string | undefined;
  readonly role: Role;
  readonly content: string;
  /** Of an answer: the service's refusal, where it sent one apart from the text. */
  readonly refusal?: string;
  readonly createdAt: Date;
  /** Of an answer that was asked for to be compared: the model that the conversation goes on with. */
  readonly nextModel?: string;
}

/** A snapshot: what a journal holds never changes a conversation that was handed out. */
export interface Conversation {
  readonly id: string;
  readonly createdAt: Date;
  /** Given by the person; see {@link titleOf} for what to show. */
  readonly title?: string;
  /** By id, oldest first. */
  readonly turns: ReadonlyMap<string, Turn>;
  /** The selected child of a parent, by the parent's id (undefined: of those that open the conversation). */
  readonly choices: ReadonlyMap<string | undefined, string>;
}

/** The children of a turn, oldest first; of undefined, the turns that open the conversation. */
function childrenOf(conversation: Conversation, parent: string | undefined): readonly Turn[] {
  return [...conversation.turns.values()].filter((turn) => turn.parent === parent);
}

/** A turn and its other versions, oldest first. */
export function siblingsOf(conversation: Conversation, turn: Turn): readonly Turn[] {
  return childrenOf(conversation, turn.parent).filter(({ role }) => role === turn.role);
}

/** The selected turns, from the first to the leaf. */
export function pathOf(conversation: Conversation): readonly Turn[] {
  const path: Turn[] = [];
  const seen = new Set<string>();
  let next = conversation.choices.get(undefined);
  while (next !== undefined && !seen.has(next)) {
    const turn = conversation.turns.get(next);
    if (turn === undefined) break;
    seen.add(next);
    path.push(turn);
    next = conversation.choices.get(turn.id);
  }
  return path;
}

/** The last selected turn; undefined in an empty conversation. */
export function leafOf(conversation: Conversation): Turn | undefined {
  return pathOf(conversation).at(-1);
}

/** A turn about to be added. */
type NextTurn = Pick<Turn, 'role' | 'content' | 'refusal'>;

/** All that a turn says: its content, and the refusal after it. Empty for an answer that never came. */
export function textOf({ content, refusal = '' }: Pick<Turn, 'content' | 'refusal'>): string {
  return [content, refusal].filter((text) => text !== '').join('\n\n');
}

function isAnswer(turn: NextTurn | undefined): boolean {
  return turn?.role === 'assistant' && textOf(turn) !== '';
}

/**
 * The selected turns, and `next` after them, as a request takes them: the last system turn first, then user and
 * assistant in turns. A prompt that was never answered is left out, unless it is the last turn: it may be the
 * reason for the failure, and two user turns in a row are refused by some services. A refusal is sent as what its
 * answer said: a message has no other field for it.
 */
export function messagesOf(
  conversation: Conversation,
  next: readonly NextTurn[] = [],
): readonly Message[] {
  const path = [...pathOf(conversation), ...next];
  const turns = path.filter(({ role }) => role !== 'system');
  const messages: { role: Message['role']; content: string }[] = [];
  for (const [index, turn] of turns.entries()) {
    const last = messages.at(-1);
    const { role } = turn;
    const content = textOf(turn);
    if (role === 'user') {
      const isLast = index === turns.length - 1;
      if (isLast || isAnswer(turns[index + 1])) messages.push({ role, content });
    } else if (content !== '' && last !== undefined) {
      // The prompt between two answers was lost with its line: their texts stand as one.
      if (last.role === role) last.content += `\n\n${content}`;
      else messages.push({ role, content });
    }
  }
  const system = systemOf(conversation, next);
  // An empty one took back what stood before it.
  if (system === undefined || system === '') return messages;
  return [{ role: 'system', content: system }, ...messages];
}

/** The system prompt in force after the selected turns. */
export function systemOf(
  conversation: Conversation,
  next: readonly NextTurn[] = [],
): string | undefined {
  return [...pathOf(conversation), ...next].findLast(({ role }) => role === 'system')?.content;
}

/** The model that turns go on with; undefined before the first answer. */
export function modelOf(path: readonly Turn[]): string | undefined {
  const answer = path.findLast(({ model }) => model !== undefined);
  return answer?.nextModel ?? answer?.model;
}

/** Code points: a title fits a line beside a date and a model. */
const longestTitle = 60;

/** A title from a prompt: its first line with text, cut at a word. */
export function titleFrom(prompt: string): string {
  const start = prompt.trimStart().slice(0, longestTitle * 8);
  const [line = ''] = start.split(/[\r\n]/, 1);
  const characters = Array.from(line.replaceAll(/\s+/g, ' ').trim());
  if (characters.length <= longestTitle) return characters.join('');
  const cut = characters.slice(0, longestTitle - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > longestTitle / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/** The given title, else one from the first prompt, else an empty text. */
export function titleOf(conversation: Conversation): string {
  if (conversation.title !== undefined) return conversation.title;
  for (const turn of conversation.turns.values()) {
    if (turn.role === 'user') return titleFrom(turn.content);
  }
  return '';
}
