import { tokensOf } from '../token-counter.ts';
import type { Completion } from './completion.ts';

export interface Script {
  readonly id: string;
  readonly model: string;
  readonly promptTokens: number;
  readonly maxTokens: number | undefined;
  /** The whole reply; what exceeds `maxTokens` is never taken. */
  readonly pieces: Iterable<string>;
}

/** An answer of the sandbox's own, token by token to the cap. */
export function scriptedCompletion({
  id,
  model,
  promptTokens,
  maxTokens = Infinity,
  pieces,
}: Script): Completion {
  let completionTokens = 0;
  let finishReason = 'stop';
  function* takeTokens(): Generator<string, void, undefined> {
    for (const token of tokensOf(pieces)) {
      if (completionTokens >= maxTokens) {
        finishReason = 'length';
        return;
      }
      completionTokens += 1;
      yield token;
    }
  }
  return {
    id,
    model,
    deltas: [takeTokens()],
    ending: () => ({
      finishReason,
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        total_tokens: promptTokens + completionTokens,
      },
    }),
  };
}
