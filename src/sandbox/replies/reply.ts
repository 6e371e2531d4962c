import type { Turn } from '../completion-body.ts';

export interface ReceivedPrompt {
  readonly model: string;
  readonly messages: readonly Turn[];
  /** The last user turn, without its `[sandbox …]` group. */
  readonly text: string;
  readonly promptTokens: number;
  readonly stream: boolean;
  readonly maxTokens: number | undefined;
  /** How long a text of that many tokens is to be, and which one. */
  readonly tokens: number | undefined;
  readonly seed: number | undefined;
}

/** Generates the text lazily, in pieces. Deterministic. */
export type Reply = (received: ReceivedPrompt) => Iterable<string>;

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

export function isReplyName(word: string): word is ReplyName {
  return Object.hasOwn(replySummaries, word);
}

export const replyNames = Object.keys(replySummaries).filter(isReplyName);
