import type { Message } from '../../client/contract.ts';
import {
  messagesOf,
  pathOf,
  textOf,
  type Conversation,
  type Turn,
} from '../../conversation/tree.ts';
import { estimateMessages } from '../../conversation/token-estimate.ts';
import type { Branch, ContextUse, ReplState } from './state.ts';

/** The conversation as if it ended with a turn; with undefined, before the first one. */
export function endingWith(conversation: Conversation, turnId: string | undefined): Conversation {
  const choices = new Map(conversation.choices);
  choices.delete(turnId);
  return { ...conversation, choices };
}

/** The turns that the next prompt follows, undone ones left out. */
export function currentPath(
  conversation: Conversation,
  branch: Branch | undefined,
): readonly Turn[] {
  return pathOf(branch === undefined ? conversation : endingWith(conversation, branch.parent));
}

/** The turns as a request takes them; an emptied system prompt is none. */
export function messagesFor(conversation: Conversation): readonly Message[] {
  return messagesOf(conversation).filter(
    ({ role, content }) => role !== 'system' || content.trim() !== '',
  );
}

/** A prompt and what was answered to it. */
export interface Exchange {
  readonly prompt: Turn;
  readonly answer: Turn | undefined;
}

/** The prompts of a path, each with its answer, in order. */
export function exchangesOf(path: readonly Turn[]): readonly Exchange[] {
  const prompts = path.flatMap((turn, index) => (turn.role === 'user' ? [index] : []));
  return prompts.flatMap((start, number) => {
    const [prompt, ...others] = path.slice(start, prompts[number + 1]);
    const answer = others.find(({ role }) => role === 'assistant');
    return prompt === undefined ? [] : [{ prompt, answer }];
  });
}

/** The last prompt of a path and its answer. */
export function lastExchange(path: readonly Turn[]): Exchange | undefined {
  return exchangesOf(path).at(-1);
}

/** The prompt got text, or a refusal. */
export function isAnswered(exchange: Exchange): exchange is Exchange & { readonly answer: Turn } {
  return exchange.answer !== undefined && textOf(exchange.answer) !== '';
}

/** The last answer that said something. */
export function lastAnswer(path: readonly Turn[]): Turn | undefined {
  return path.findLast((turn) => turn.role === 'assistant' && textOf(turn) !== '');
}

/**
 * The turn that the next prompt follows. A prompt that got no text is passed over: the next one takes its place
 * as another version, so the roles of a request alternate.
 */
export function attachPoint({
  conversation,
  branch,
}: Pick<ReplState, 'conversation' | 'branch'>): string | undefined {
  const path = currentPath(conversation, branch);
  const exchange = lastExchange(path);
  if (exchange === undefined || isAnswered(exchange)) return path.at(-1)?.id;
  return exchange.prompt.parent;
}

/** The state with another place for the next prompt, and what the window holds then. */
export function withBranch(state: ReplState, branch: Branch | undefined): ReplState {
  return { ...state, branch, context: contextUse(state.conversation, branch) };
}

/** The tokens of a request and its answer, as the service counted them. */
function countedTokens({ usage }: Turn): number | undefined {
  if (usage?.total_tokens !== undefined) return usage.total_tokens;
  return usage?.prompt_tokens === undefined || usage.completion_tokens === undefined
    ? undefined
    : usage.prompt_tokens + usage.completion_tokens;
}

/** How much of a window the conversation takes: as the service counted it last, and an estimate of what came since. */
export function contextUse(conversation: Conversation, branch: Branch | undefined): ContextUse {
  const path = currentPath(conversation, branch);
  const last = path.findLast((turn) => countedTokens(turn) !== undefined);
  const counted = last && countedTokens(last);
  if (counted !== undefined && last === path.at(-1)) return { tokens: counted, isEstimate: false };
  const end = branch === undefined ? conversation : endingWith(conversation, branch.parent);
  const estimate = estimateMessages(messagesFor(end));
  if (last === undefined || counted === undefined) return { tokens: estimate, isEstimate: true };
  const since = estimate - estimateMessages(messagesFor(endingWith(conversation, last.id)));
  return { tokens: Math.max(0, counted + since), isEstimate: since !== 0 };
}
