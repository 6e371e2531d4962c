import { createBudget, type Budget, type Expense } from '../../../batch/budget.ts';
import type { BatchItem, InputItem } from '../../../batch/input/item.ts';
import type { Tally } from '../../../batch/tally.ts';
import { estimateTokens } from '../../../conversation/token-estimate.ts';
import { Failure } from '../../../failure.ts';
import { tokenText } from '../../../output/figures.ts';
import { moneyText } from '../../../output/money.ts';
import { costOf, type Price, priceTable, type PriceTable } from '../../../settings/prices.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import type { PlannedRequest } from '../../../ask/plan-request.ts';
import type { ItemOutcome } from './item-attempt.ts';
import { planItem } from './send-item.ts';

/** What a request uses at most, in tokens. */
export interface RequestEstimate {
  readonly model: string;
  readonly prompt: number;
  /** The limit of the answer; undefined for a request without one. */
  readonly answer: number | undefined;
}

export function estimateRequest({ request, fit }: PlannedRequest): RequestEstimate {
  const { max_tokens: limit = 0, params } = request;
  const newer = params?.['max_completion_tokens'];
  return {
    model: request.model,
    prompt: fit.estimate - limit,
    answer: typeof newer === 'number' ? newer : limit || undefined,
  };
}

/** Counts the cost of a run, and holds items back that might exceed its limits. */
export interface Spending {
  /** Waits until the item fits. @returns false after {@link SpendingOptions.stopRun} */
  admits(item: InputItem): Promise<boolean>;
  /** @param outcome undefined for an item that was not sent */
  settle(index: number, outcome: ItemOutcome | undefined): void;
}

interface SpendingOptions {
  readonly settings: ResolvedSettings;
  readonly prices: PriceTable;
  /** The sandbox ignores the settings of profiles. */
  readonly isSandbox: boolean;
  /** `Infinity` without a limit. */
  readonly limits: Expense;
  /** How often an item may be sent: more than once if answers are checked. */
  readonly requests: number;
  readonly tally: Tally;
  readonly stopRun: (failure: Failure) => void;
}

/** Tokens of an answer without a limit, before there is one to compare with. */
const assumedAnswer = 1000;

function missingPrice(model: string, isSandbox: boolean): Failure {
  const prices = `natter config set prices.${model} 0.5/1.5`;
  return new Failure('configuration', `--max-cost needs the price of the model ${model}`, {
    hint: isSandbox
      ? 'the sandbox has no prices; use --max-total-tokens'
      : `set it, for a million tokens of prompts and answers: ${prices}`,
  });
}

function mixedCurrencies(one: string, other: string): Failure {
  return new Failure('configuration', `--max-cost cannot add prices in ${one} and in ${other}`, {
    hint: 'use the same currency in all prices: natter config list',
  });
}

/** The model's price; undefined if only tokens are limited. @throws Failure `configuration` */
function checkPrice(
  { prices, limits, tally, isSandbox }: SpendingOptions,
  model: string,
): Price | undefined {
  const price = prices.get(model);
  if (limits.cost === Infinity) return price;
  if (price === undefined) throw missingPrice(model, isSandbox);
  const [currency = price.currency] = tally.costs.keys();
  if (price.currency !== currency) throw mixedCurrencies(currency, price.currency);
  tally.costs.set(currency, tally.costs.get(currency) ?? 0);
  return price;
}

function reached(
  { limits }: SpendingOptions,
  next: Expense,
  currency: string,
  hasLimit: boolean,
): Failure {
  const isCost = limits.cost !== Infinity;
  const money = (amount: number) => moneyText(new Map([[currency, amount]]));
  const limit = isCost ? `--max-cost (${money(limits.cost)})` : '--max-total-tokens';
  const size = isCost ? `~${money(next.cost)}` : tokenText(next.tokens, true);
  const text = `stopped before ${limit}: the next item may use ${size}`;
  return hasLimit
    ? new Failure('budget', text)
    : new Failure('budget', text, { hint: 'set --max-tokens for a smaller estimate' });
}

interface SpendingState {
  readonly options: SpendingOptions;
  readonly budget: Budget;
  readonly estimates: Map<number, RequestEstimate>;
  /** Tokens of the longest answer so far. */
  longest: number | undefined;
}

function expenseOf(price: Price | undefined, prompt: number, answer: number): Expense {
  const cost = price === undefined ? 0 : costOf(price, prompt, answer);
  return { tokens: prompt + answer, cost };
}

/** Waits until the item fits. @returns whether it does @throws Failure for an item that cannot be sent or priced */
async function reserve(state: SpendingState, item: BatchItem): Promise<boolean> {
  const { options, budget, estimates } = state;
  const estimate = estimateRequest(planItem(item.content, options.settings, false));
  const price = checkPrice(options, estimate.model);
  for (;;) {
    const answer = estimate.answer ?? state.longest ?? assumedAnswer;
    // Each request repeats the answers before.
    const repeated = (answer * options.requests * (options.requests - 1)) / 2;
    const prompt = estimate.prompt * options.requests + repeated;
    const expense = expenseOf(price, prompt, answer * options.requests);
    if (budget.reserve(item.index, expense)) {
      estimates.set(item.index, estimate);
      return true;
    }
    const settled = budget.settled();
    if (settled === undefined) {
      const hasLimit = estimate.answer !== undefined;
      options.stopRun(reached(options, expense, price?.currency ?? '', hasLimit));
      return false;
    }
    await settled;
  }
}

/** The reported tokens; those that the service did not report are estimated. */
function usedTokens({ prompt }: RequestEstimate, { metadata, content }: ItemOutcome) {
  const { prompt_tokens: input, completion_tokens: output } = metadata.usage ?? {};
  const received = content === '' ? 0 : estimateTokens(content);
  // A refused request is not billed.
  const wasRead = content !== '' || metadata.complete;
  return { prompt: input ?? (wasRead ? prompt : 0), answer: output ?? received };
}

function settle(state: SpendingState, index: number, outcome: ItemOutcome | undefined): void {
  const { options, budget, estimates } = state;
  const estimate = estimates.get(index);
  estimates.delete(index);
  if (estimate === undefined) return;
  if (outcome === undefined) return budget.settle(index, { tokens: 0, cost: 0 });
  const { prompt, answer } = usedTokens(estimate, outcome);
  const price = options.prices.get(outcome.requestedModel);
  const expense = expenseOf(price, prompt, answer);
  budget.settle(index, expense);
  if (answer > 0) state.longest = Math.max(state.longest ?? 0, answer);
  if (price === undefined) return;
  const { costs } = options.tally;
  costs.set(price.currency, (costs.get(price.currency) ?? 0) + expense.cost);
}

function createSpending(options: SpendingOptions): Spending {
  const estimates = new Map<number, RequestEstimate>();
  const budget = createBudget(options.limits);
  const state: SpendingState = { options, budget, estimates, longest: undefined };
  return {
    async admits(item) {
      try {
        return item.problem !== undefined || (await reserve(state, item));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        // The failure of the item itself is its result.
        if (error.kind !== 'configuration') return true;
        options.stopRun(error);
        return false;
      }
    },
    settle: (index, outcome) => settle(state, index, outcome),
  };
}

/** Undefined if no price is known and nothing is limited. @throws Failure `configuration` for a bad price */
export function openSpending(options: Omit<SpendingOptions, 'prices'>): Spending | undefined {
  const prices = priceTable(options.settings.prices);
  const isLimited = Math.min(options.limits.tokens, options.limits.cost) !== Infinity;
  return prices.size > 0 || isLimited ? createSpending({ ...options, prices }) : undefined;
}
