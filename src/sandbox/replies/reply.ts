import type { Turn } from '../completion-body.ts';

/** What a reply may speak about. */
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

/** Says what is to be answered, piece by piece and only as fast as it is taken. Deterministic. */
export type Reply = (received: ReceivedPrompt) => Iterable<string>;
