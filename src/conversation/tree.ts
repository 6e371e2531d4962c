import type { Message, Usage } from '../client/contract.ts';
import type { Timing } from '../client/events.ts';
import type { FailureKind } from '../failure.ts';
import type { Attributes } from './attributes.ts';

export type Role = 'system' | 'user' | 'assistant';

/** A model that did not answer, so that the next one was asked. */
export interface PassedModel {
  readonly model: string;
  readonly profile: string;
  /** The kind of its failure; `too_long` for a prompt that does not fit its window. */
  readonly reason: FailureKind | 'too_long';
}

export interface AnswerEnd {
  /** The model that answered, or the one in the request. */
  readonly model?: string | undefined;
  readonly finishReason?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly timing?: Timing | undefined;
  /** The answer was cut, or is still being received; its text so far is kept. */
  readonly incomplete?: boolean | undefined;
  /** Why the answer was cut or is missing; absent if it was cut because natter ended. */
  readonly failure?: FailureKind | undefined;
}

/** Turns of one role with the same parent are versions of each other. */
export interface Turn extends AnswerEnd {
  /** Unique within its conversation. */
  readonly id: string;
  /** Undefined for a first turn. */
  readonly parent: string | undefined;
  readonly role: Role;
  readonly content: string;
  /** The refusal of an answer, which the service sent apart from the text. */
  readonly refusal?: string | undefined;
  /** The reasoning of an answer, with the tags of the one that came as text; see {@link reasoningOf}. */
  readonly thought?: string | undefined;
  readonly createdAt: Date;
  /** The model that the conversation continues with, if it is a different one. */
  readonly nextModel?: string | undefined;
  /** The profile of the model that answered, if there were fallbacks. */
  readonly profile?: string | undefined;
  readonly fallbackFrom?: readonly PassedModel[] | undefined;
}

/** What is sent instead of the turns up to `turn`, which stay in the conversation. */
export interface Summary {
  /** The last turn that it replaces. */
  readonly turn: string;
  /** The last selected turn when it was made. */
  readonly after: string;
  readonly content: string;
  readonly createdAt: Date;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
}

/** An immutable snapshot: later records do not change it. */
export interface Conversation extends Attributes {
  readonly id: string;
  readonly createdAt: Date;
  /** The folder that it was started in, if known. */
  readonly folder?: string | undefined;
  /** The turns by id, oldest first. */
  readonly turns: ReadonlyMap<string, Turn>;
  /** The selected child by the parent's id (undefined: the selected first turn). */
  readonly selection: ReadonlyMap<string | undefined, string>;
  /** The keys are {@link Summary.turn}; absent without a summary. */
  readonly summaries?: ReadonlyMap<string, Summary> | undefined;
}

/** All versions of a turn, itself included, oldest first. */
export function versionsOf(conversation: Conversation, turn: Turn): readonly Turn[] {
  return [...conversation.turns.values()].filter(
    ({ parent, role }) => parent === turn.parent && role === turn.role,
  );
}

/** The selected turns, from the first to the leaf. */
export function pathOf(conversation: Conversation): readonly Turn[] {
  const { turns, selection } = conversation;
  const path: Turn[] = [];
  // A turn comes after its parent, so that the selection has no circle.
  for (let id = selection.get(undefined); id !== undefined; id = selection.get(id)) {
    const turn = turns.get(id);
    if (turn !== undefined) path.push(turn);
  }
  return path;
}

/** The conversation up to and including a turn; empty when `turnId` is undefined. */
export function endingWith(conversation: Conversation, turnId: string | undefined): Conversation {
  const selection = new Map(conversation.selection);
  selection.delete(turnId);
  return { ...conversation, selection };
}

/** The summary in force: the last one of the selected turns. */
export function summaryOf(conversation: Conversation): Summary | undefined {
  const { summaries } = conversation;
  if (summaries === undefined) return undefined;
  const last = pathOf(conversation).findLast(({ id }) => summaries.has(id));
  return last && summaries.get(last.id);
}

/** The number of selected turns that the summary in force replaces; 0 without one. */
export function summarizedTurns(conversation: Conversation): number {
  const summary = summaryOf(conversation);
  if (summary === undefined) return 0;
  return pathOf(conversation).findIndex(({ id }) => id === summary.turn) + 1;
}

/** What a request has of a turn. */
interface TurnContent {
  readonly role: Role;
  readonly content: string;
  readonly refusal?: string | undefined;
}

/** The content, then the refusal; empty for a missing answer. */
export function textOf({ content, refusal = '' }: TurnContent): string {
  return [content, refusal].filter((text) => text !== '').join('\n\n');
}

/** Whether a request can contain it as the answer to its prompt. */
export function isAnswer(turn: TurnContent | undefined): boolean {
  return turn?.role === 'assistant' && textOf(turn) !== '';
}

/** The reasoning without its tags; empty if there is none, or if it is the answer, as in one that ended while it reasoned. */
export function reasoningOf({ content, thought = '' }: Turn): string {
  if (content.startsWith(thought)) return '';
  return thought
    .replace(/^\s*<think>/, '')
    .replace(/<\/think>\s*$/, '')
    .trim();
}

/** The text of a summary in a request. */
export function sentSummary({ content }: { readonly content: string }): string {
  return `Summary of the earlier conversation:\n\n<summary>\n${content}\n</summary>`;
}

/**
 * The messages of a request, from the selected turns and `next`: the last system prompt, then prompts and answers
 * alternately. A prompt without an answer is omitted, unless it is the last turn: it may have caused the failure, and
 * some services reject two user messages in a row. A refusal is sent as content, because a message has no other field
 * for it. The summary in force is sent instead of the turns that it replaces.
 */
export function messagesOf(
  conversation: Conversation,
  next: readonly TurnContent[] = [],
): readonly Message[] {
  const sent = pathOf(conversation).slice(summarizedTurns(conversation));
  const turns = [...sent, ...next].filter(({ role }) => role !== 'system');
  const messages: { role: Role; content: string }[] = [];
  for (const [index, turn] of turns.entries()) {
    const last = messages.at(-1);
    const { role } = turn;
    const content = textOf(turn);
    if (role === 'user') {
      const isLast = index === turns.length - 1;
      if (isLast || isAnswer(turns[index + 1])) messages.push({ role, content });
    } else if (content !== '' && last !== undefined) {
      // The line of the prompt between two answers was lost: the answers become one message.
      if (last.role === role) last.content += `\n\n${content}`;
      else messages.push({ role, content });
    }
  }
  const summary = summaryOf(conversation);
  if (summary !== undefined) {
    const text = sentSummary(summary);
    const [first] = messages;
    // The first message has it, because some services reject two user messages in a row.
    if (first === undefined) messages.push({ role: 'user', content: text });
    else first.content = `${text}\n\n${first.content}`;
  }
  const system = systemOf(conversation, next);
  // An empty system prompt removes the one before it.
  if (system === undefined || system === '') return messages;
  return [{ role: 'system', content: system }, ...messages];
}

/** The system prompt in force after the selected turns. */
export function systemOf(
  conversation: Conversation,
  next: readonly TurnContent[] = [],
): string | undefined {
  return [...pathOf(conversation), ...next].findLast(({ role }) => role === 'system')?.content;
}

/** The model that the conversation continues with; undefined before the first answer and choice. */
export function modelOf(conversation: Conversation): string | undefined {
  const answer = pathOf(conversation).findLast(({ model }) => model !== undefined);
  return conversation.model ?? answer?.nextModel ?? answer?.model;
}

/** Code points; a list shows a date and a model on the same line. */
const maxTitleLength = 60;

/** A title from a prompt: its first line with text, cut at a word. */
export function titleFrom(prompt: string): string {
  const start = prompt.trimStart().slice(0, maxTitleLength * 8);
  const [line = ''] = start.split(/[\r\n]/, 1);
  const characters = Array.from(line.replaceAll(/\s+/g, ' ').trim());
  if (characters.length <= maxTitleLength) return characters.join('');
  const cut = characters.slice(0, maxTitleLength - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > maxTitleLength / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/** The title that was set, else one from the first prompt, else empty. */
export function titleOf({ title, turns }: Conversation): string {
  if (title !== undefined) return title;
  for (const { role, content } of turns.values()) if (role === 'user') return titleFrom(content);
  return '';
}
