import type { Usage } from '../../client/contract.ts';
import type { Fault } from '../faults/fault-fields.ts';
import { tokensOf } from '../token-counter.ts';

/** An answer to be given. */
export interface Completion {
  readonly id: string;
  readonly model: string;
  readonly promptTokens: number;
  readonly maxTokens: number | undefined;
  /** The whole reply; what exceeds `maxTokens` is never taken. */
  readonly pieces: Iterable<string>;
}

/** What is known of an answer so far. */
export interface Tally {
  completionTokens: number;
  finishReason: 'stop' | 'length';
}

export function createTally(): Tally {
  return { completionTokens: 0, finishReason: 'stop' };
}

/** The reply token by token, to the cap. Keeps the tally as it goes. */
export function* completionTokens(
  { pieces, maxTokens = Infinity }: Completion,
  tally: Tally,
): Generator<string, void, undefined> {
  for (const token of tokensOf(pieces)) {
    if (tally.completionTokens >= maxTokens) {
      tally.finishReason = 'length';
      return;
    }
    tally.completionTokens += 1;
    yield token;
  }
}

export function usageOf({ promptTokens }: Completion, tally: Tally): Required<Usage> {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: tally.completionTokens,
    total_tokens: promptTokens + tally.completionTokens,
  };
}

/** Undefined when it is to be left out. */
export function finishReasonOf(fault: Fault, tally: Tally): string | undefined {
  return fault['no-finish-reason'] === true
    ? undefined
    : (fault['finish-reason'] ?? tally.finishReason);
}

/** Body of an answer that does not stream. */
export function completionBody(completion: Completion, fault: Fault): object {
  const tally = createTally();
  const content = [...completionTokens(completion, tally)].join('');
  const finishReason = finishReasonOf(fault, tally);
  const text = fault.refusal === true ? { content: null, refusal: content } : { content };
  return {
    id: completion.id,
    object: 'chat.completion',
    model: completion.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', ...text },
        ...(finishReason === undefined ? {} : { finish_reason: finishReason }),
      },
    ],
    ...(fault.usage === 'none' ? {} : { usage: usageOf(completion, tally) }),
  };
}
