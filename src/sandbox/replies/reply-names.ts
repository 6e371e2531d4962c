import { namesOf } from '../names-of.ts';

/** What the sandbox can be asked to say, by name. */
export const replySummaries = {
  default: 'what arrived, and what else can be tried',
  help: 'everything that can be asked of the sandbox',
  echo: 'the last user turn, unchanged',
  tokens: 'prose of exactly `tokens` tokens (200)',
  million: 'prose of a million tokens',
  markdown: 'every Markdown construct',
  code: 'code blocks in many languages',
  tables: 'narrow, wide, ragged and long tables',
  unicode: 'CJK, emoji, right-to-left and combining text',
  hostile: 'escape sequences and deceptive characters, one a line',
} as const;

export type ReplyName = keyof typeof replySummaries;

export const replyNames = namesOf(replySummaries);

export function isReplyName(word: string): word is ReplyName {
  return Object.hasOwn(replySummaries, word);
}
