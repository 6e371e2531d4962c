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

/** The conversation up to and including a turn; empty when `turnId` is undefined. */
export function endingWith(conversation: Conversation, turnId: string | undefined): Conversation {
  const selection = new Map(conversation.selection);
  selection.delete(turnId);
  return { ...conversation, selection };
}

/** The turns before the next prompt, without undone ones. */
export function currentPath(
  conversation: Conversation,
  branch: Branch | undefined,
): readonly Turn[] {
  return pathOf(branch === undefined ? conversation : endingWith(conversation, branch.parent));
}

/** The messages of a request; an empty system prompt is omitted. */
export function messagesFor(conversation: Conversation): readonly Message[] {
  return messagesOf(conversation).filter(
    ({ role, content }) => role !== 'system' || content.trim() !== '',
  );
}

export interface PromptAndAnswer {
  readonly prompt: Turn;
  readonly answer: Turn | undefined;
}

export function promptsOf(path: readonly Turn[]): readonly PromptAndAnswer[] {
  const prompts = path.flatMap((turn, index) => (turn.role === 'user' ? [index] : []));
  return prompts.flatMap((start, number) => {
    const [prompt, ...others] = path.slice(start, prompts[number + 1]);
    const answer = others.find(({ role }) => role === 'assistant');
    return prompt === undefined ? [] : [{ prompt, answer }];
  });
}

export function lastPrompt(path: readonly Turn[]): PromptAndAnswer | undefined {
  return promptsOf(path).at(-1);
}

/** Whether the answer has text or a refusal. */
export function isAnswered(
  pair: PromptAndAnswer,
): pair is PromptAndAnswer & { readonly answer: Turn } {
  return pair.answer !== undefined && textOf(pair.answer) !== '';
}

/** The last answer with text or a refusal. */
export function lastAnswer(path: readonly Turn[]): Turn | undefined {
  return path.findLast((turn) => turn.role === 'assistant' && textOf(turn) !== '');
}

/**
 * The parent of the next prompt. An unanswered prompt is skipped: the next one becomes another version of it, so
 * the roles in a request alternate.
 */
export function attachPoint({
  conversation,
  branch,
}: Pick<ReplState, 'conversation' | 'branch'>): string | undefined {
  const path = currentPath(conversation, branch);
  const pair = lastPrompt(path);
  if (pair === undefined || isAnswered(pair)) return path.at(-1)?.id;
  return pair.prompt.parent;
}

/** Sets where the next prompt goes and updates the context use accordingly. */
export function withBranch(state: ReplState, branch: Branch | undefined): ReplState {
  return { ...state, branch, context: contextUse(state.conversation, branch) };
}

/** Prompt and completion tokens, as reported by the service. */
function countedTokens({ usage }: Turn): number | undefined {
  if (usage?.total_tokens !== undefined) return usage.total_tokens;
  return usage?.prompt_tokens === undefined || usage.completion_tokens === undefined
    ? undefined
    : usage.prompt_tokens + usage.completion_tokens;
}

/** The conversation's size: the last usage the service reported, plus an estimate of later turns. */
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
