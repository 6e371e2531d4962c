import { costOf, type Price } from '../settings/prices.ts';
import { tokensOf, type LedgerLine } from './ledger.ts';
import { localDay } from './days.ts';

export const groupings = ['day', 'model', 'profile', 'command'] as const;
export type Grouping = (typeof groupings)[number];

/** The requests of one day, model, profile or command. */
export type UsageSum = ReturnType<typeof emptySum>;

/** The price of the model of a request; undefined if it is not known. */
export type PriceOf = (line: LedgerLine) => Price | undefined;

const emptySum = (key: string) => ({
  key,
  requests: 0,
  /** Requests without a complete answer, except those that the user stopped. */
  failed: 0,
  promptTokens: 0,
  /** The part of the prompts that services read from their caches. */
  cachedTokens: 0,
  answerTokens: 0,
  /** Requests whose tokens are estimated in part. */
  estimated: 0,
  /** The cost by currency, where the prices are known. */
  costs: new Map<string, number>(),
  /** Requests with tokens, but without a price. */
  unpriced: 0,
  /** The first of them. */
  withoutPrice: undefined as LedgerLine | undefined,
});

const allTokens = (sum: UsageSum) => sum.promptTokens + sum.answerTokens;

/** Adds up requests. */
export function createUsageSums(by: Grouping, priceOf: PriceOf) {
  const sums = new Map<string, UsageSum>();
  const total = emptySum('total');
  return {
    add(line: LedgerLine): void {
      const key = by === 'day' ? localDay(new Date(line.time)) : line[by];
      const group = sums.get(key) ?? emptySum(key);
      sums.set(key, group);
      const tokens = tokensOf(line);
      const { prompt, answer, cached = 0 } = tokens;
      const price = priceOf(line);
      for (const sum of [group, total]) {
        sum.requests += 1;
        if (line.outcome !== 'answered' && line.outcome !== 'stopped') sum.failed += 1;
        if (line.estimated !== undefined) sum.estimated += 1;
        sum.promptTokens += prompt;
        sum.cachedTokens += cached;
        sum.answerTokens += answer;
        if (price !== undefined) {
          const { currency } = price;
          sum.costs.set(currency, (sum.costs.get(currency) ?? 0) + costOf(price, tokens));
        } else if (prompt + answer > 0) {
          sum.unpriced += 1;
          sum.withoutPrice ??= line;
        }
      }
    },
    /** Days in order; models, profiles and commands with the most tokens first. */
    rows: (): readonly UsageSum[] =>
      [...sums.values()].sort((one, other) => {
        const order = one.key < other.key ? -1 : 1;
        return by === 'day' ? order : allTokens(other) - allTokens(one) || order;
      }),
    total: (): UsageSum => total,
  };
}
