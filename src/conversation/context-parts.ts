import type { Message } from '../client/contract.ts';
import { splitPrompt } from './compose-prompt.ts';
import { estimateMessages, estimateTokens } from './token-estimate.ts';
import { sentSummary, summaryOf, type Conversation } from './tree.ts';

/** What the messages of a conversation consist of, in estimated tokens. */
export interface ContextParts {
  readonly system: number;
  readonly summary: number;
  readonly files: number;
  /** Prompts without their files, and answers. */
  readonly turns: number;
  /** Names of the files. */
  readonly names: readonly string[];
}

/** @param messages those of the conversation, which `messagesOf` returns */
export function contextParts(
  conversation: Conversation,
  messages: readonly Message[],
): ContextParts {
  const all = estimateMessages(messages);
  const system = estimateMessages(messages.filter(({ role }) => role === 'system'));
  const inForce = summaryOf(conversation);
  const sent = inForce === undefined ? '' : sentSummary(inForce);
  const summary = estimateTokens(sent);
  const attached = messages.flatMap(({ role, content }) => {
    if (role !== 'user') return [];
    return splitPrompt(content.startsWith(sent) ? content.slice(sent.length).trimStart() : content)
      .files;
  });
  const files = attached.reduce((sum, { content }) => sum + estimateTokens(content), 0);
  const turns = Math.max(0, all - system - summary - files);
  return { system, summary, files, turns, names: attached.map(({ name }) => name) };
}
