import { catalogue } from '../../client/contract.ts';
import type { ReceivedPrompt, Reply } from './reply.ts';

const quotedLength = 80;

/** Text that can do no harm between backticks, on one line. */
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
  ['[sandbox help]', 'everything that can be asked'],
  ['[sandbox markdown]', 'every Markdown construct'],
  ['[sandbox tokens=500 rate=50]', '500 tokens, 50 a second'],
  ['[sandbox echo] text', 'the text back, unchanged'],
  ['[sandbox 429 retry-after=2 times=2]', 'refused twice, then answered'],
  ['[sandbox rst cut-after=20]', 'the connection breaks in the middle'],
] as const;

const tokenText = (tokens: number) =>
  `${tokens.toLocaleString('en-US')} ${tokens === 1 ? 'token' : 'tokens'}`;

/** Describes the received request, to show that a client works, and suggests what to try. */
export const defaultReply: Reply = function* describe(received) {
  const { model, messages, promptTokens, stream, maxTokens, text } = received;
  const window = catalogue.find(({ id }) => id === model)?.contextWindow ?? 0;
  yield '**This is the natter sandbox.** No language model is behind it: ';
  yield 'this answer is made from what you sent.\n\n';
  yield `- model: \`${model}\`, window ${tokenText(window)}\n`;
  yield `- turns: ${messages.length} (${countRoles(messages)})\n`;
  yield `- prompt: ${tokenText(promptTokens)} by the sandbox's count\n`;
  yield `- answer: ${stream ? 'streamed' : 'one JSON body'}, `;
  yield `${maxTokens === undefined ? 'no cap' : `at most ${tokenText(maxTokens)}`}\n`;
  yield `- your words: ${quote(text)}\n\n`;
  yield 'A prompt can ask for other answers, and for trouble:\n\n';
  for (const [group, effect] of suggestions) yield `- \`${group}\`: ${effect}\n`;
};
