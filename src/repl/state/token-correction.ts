import { estimateTokens } from '../../conversation/token-estimate.ts';
import { textOf, type Turn } from '../../conversation/tree.ts';

/** Sums of the tokens of answers: as the service counted them, and as estimated. */
interface TokenSums {
  readonly counted: number;
  readonly estimated: number;
}

/** By the model that was asked. */
export type TokenCorrections = ReadonlyMap<string, TokenSums>;

/** A larger difference has other causes, such as reasoning that is counted but not received. */
const greatest = 2;

/** Adds a complete answer, if the service has counted its tokens. */
export function learnCorrection(
  before: TokenCorrections = new Map(),
  answer: Turn,
  model: string,
): TokenCorrections {
  const counted = answer.usage?.completion_tokens ?? 0;
  const estimated = estimateTokens(textOf(answer));
  if (counted * greatest < estimated || counted > estimated * greatest || estimated === 0)
    return before;
  const sums = before.get(model) ?? { counted: 0, estimated: 0 };
  return new Map(before).set(model, {
    counted: sums.counted + counted,
    estimated: sums.estimated + estimated,
  });
}

/** The tokens that a service counts for each estimated one. */
export function correctionOf(corrections: TokenCorrections | undefined, model: string): number {
  const sums = corrections?.get(model);
  return sums === undefined ? 1 : sums.counted / sums.estimated;
}
