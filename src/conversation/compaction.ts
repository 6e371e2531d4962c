import type { Message } from '../client/contract.ts';
import { splitPrompt } from './compose-prompt.ts';
import { estimateTokens, tokensPerMessage, estimateMessages } from './token-estimate.ts';
import {
  endingWith,
  isAnswer,
  messagesOf,
  pathOf,
  sentSummary,
  summarizedTurns,
  summaryOf,
  systemOf,
  textOf,
  type Conversation,
  type Turn,
} from './tree.ts';

const instruction =
  'Summarize the conversation above, so that it can continue with your summary alone. Keep its goal, the decisions and their reasons, the facts, names, numbers, code and quotations that may be needed again, and what is still open. Omit greetings and detours. Use the language of the conversation, and write only the summary.';

/** The share of the window that the last prompt and its answer may have to be kept as they are. */
const keptShare = 1 / 4;
const summaryShare = 1 / 8;

/** The request for a summary, and the turns that the summary replaces. */
export type CompactionPlan = NonNullable<ReturnType<typeof planCompaction>>;

/**
 * Plans a summary of the older turns, as many as fit the window.
 * @param window that of the model in tokens, if it is known; `wanted` is what the user wants to keep, or empty
 * @returns undefined if there is no answer since the summary in force
 */
export function planCompaction(
  conversation: Conversation,
  { window = Infinity, wanted }: { readonly window: number | undefined; readonly wanted: string },
) {
  const path = pathOf(conversation);
  const first = summarizedTurns(conversation);
  let sum = 0;
  // The answers that may be the last turn of the summary, with the tokens since the summary in force up to each.
  const ends = path.flatMap((turn, index) => {
    if (index < first || turn.role === 'system') return [];
    sum += tokensPerMessage + estimateTokens(textOf(turn));
    return isAnswer(turn) ? [{ index, turn: turn.id, tokens: sum }] : [];
  });
  const [last, before] = [ends.at(-1), ends.at(-2)];
  // The last prompt and its answer are kept, unless they are all there is, or too long.
  const keepsLast = last && before && last.tokens - before.tokens <= window * keptShare;
  const wished = keepsLast === true ? before : last;
  const summary = summaryOf(conversation);
  const after = path.at(-1)?.id;
  if (wished === undefined || after === undefined || summary?.after === after) return undefined;
  const request = wanted === '' ? instruction : `${instruction}\n\nAbove all, keep: ${wanted}`;
  const others = [systemOf(conversation), summary?.content, request];
  const fixed = estimateTokens(others.join(''));
  const room = window * (1 - summaryShare) - fixed;
  const fitting = ends.filter(({ index, tokens }) => index <= wished.index && tokens <= room);
  // The estimate may be too high, so the first one is tried even if it does not seem to fit.
  const end = fitting.at(-1) ?? ends[0] ?? wished;
  const isPrompt = ({ role }: Turn) => role === 'user';
  return {
    /** The last turn that the summary replaces. */
    turn: end.turn,
    /** The last selected turn. */
    after,
    /** The number of prompts that the summary replaces, those of an earlier summary included. */
    prompts: path.slice(0, end.index).filter(isPrompt).length,
    kept: path.slice(end.index).filter(isPrompt).length,
    /** Estimated tokens of what the summary replaces. */
    tokens: end.tokens + (summary === undefined ? 0 : estimateTokens(sentSummary(summary))),
    messages: messagesOf(endingWith(conversation, end.turn), [{ role: 'user', content: request }]),
  };
}

/**
 * What the messages of a conversation consist of, in estimated tokens; `turns` are prompts without their files, and
 * answers.
 * @param messages those of the conversation, which `messagesOf` returns
 */
export function contextParts(conversation: Conversation, messages: readonly Message[]) {
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
