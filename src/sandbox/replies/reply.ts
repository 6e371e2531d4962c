import type { CompletionRequest } from '../../client/contract.ts';

export interface ReceivedPrompt {
  readonly request: CompletionRequest;
  /** The last user message, without its `[sandbox …]` group. */
  readonly text: string;
  readonly promptTokens: number;
  /** The length of the replies `tokens` and `million`, in tokens. */
  readonly length: number | undefined;
  readonly seed: number | undefined;
}

/** Generates a text lazily, in pieces. Deterministic. */
export type Reply = (received: ReceivedPrompt) => Iterable<string>;

export const replySummaries = {
  default:
    'a description of the request, and suggestions; `sample` if the prompt has a JSON Schema',
  help: 'these tables',
  echo: 'the last user message, unchanged',
  tokens: 'prose of exactly `tokens` tokens; default: 200',
  million: 'prose of a million tokens',
  markdown: 'every Markdown construct',
  code: 'code blocks in many languages',
  tables: 'narrow, wide, ragged and long tables',
  unicode: 'CJK, emoji, right-to-left and combining text',
  sample: 'JSON that conforms to the JSON Schema in the prompt',
  fenced: 'the same in a code fence',
  misfit: 'a JSON string, which no schema of an object or a list accepts',
  hostile: 'escape sequences and deceptive characters, one per line',
} as const;

export type ReplyName = keyof typeof replySummaries;

export function isReplyName(word: string): word is ReplyName {
  return Object.hasOwn(replySummaries, word);
}

export const replyNames = Object.keys(replySummaries).filter(isReplyName);
