import { catalogue } from '../../client/contract.ts';
import type { ReceivedPrompt, Reply } from './reply.ts';

const quotedLength = 80;

/** Text without control characters and line breaks, between backticks. */
function quote(text: string): string {
  const start = text.slice(0, quotedLength * 4);
  const harmless = start
    .replaceAll(/[\s\u2028\u2029]+/g, ' ')
    .replaceAll('`', "'")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, '')
    .trim();
  const points = Array.from(harmless);
  if (points.length === 0) return 'nothing to quote';
  const cut = points.length > quotedLength || start.length < text.length;
  return `\`${points.slice(0, quotedLength).join('').trim()}${cut ? ' …' : ''}\``;
}

function countRoles(messages: ReceivedPrompt['messages']): string {
  const counts = new Map<string, number>();
  for (const { role } of messages) counts.set(role, (counts.get(role) ?? 0) + 1);
  return [...counts].map(([role, count]) => `${count} ${role}`).join(', ');
}

const suggestions = [
  ['[sandbox help]', 'all faults and replies'],
  ['[sandbox markdown]', 'every Markdown construct'],
  ['[sandbox tokens=500 rate=50]', '500 tokens, 50 per second'],
  ['[sandbox echo] text', 'the same text, unchanged'],
  ['[sandbox 429 retry-after=2 times=2]', 'two refusals, then an answer'],
  ['[sandbox rst cut-after=20]', 'a connection that breaks in the middle'],
] as const;

const tokenText = (tokens: number) =>
  `${tokens.toLocaleString('en-US')} ${tokens === 1 ? 'token' : 'tokens'}`;

/** Describes the request, so that a client can be checked, and suggests what to try. */
export const defaultReply: Reply = function* describe(received) {
  const { model, messages, promptTokens, stream, maxTokens, text } = received;
  const window = catalogue.find(({ id }) => id === model)?.contextWindow ?? 0;
  yield '**This is the natter sandbox.** It has no language model: ';
  yield 'this answer describes your request.\n\n';
  yield `- model: \`${model}\`, window ${tokenText(window)}\n`;
  yield `- messages: ${messages.length} (${countRoles(messages)})\n`;
  yield `- prompt length: ${tokenText(promptTokens)} by the sandbox's count\n`;
  yield `- answer: ${stream ? 'streamed' : 'one JSON body'}, `;
  yield `${maxTokens === undefined ? 'no limit' : `at most ${tokenText(maxTokens)}`}\n`;
  yield `- your prompt: ${quote(text)}\n\n`;
  yield 'A prompt can select other answers and simulate faults:\n\n';
  for (const [group, effect] of suggestions) yield `- \`${group}\`: ${effect}\n`;
};
