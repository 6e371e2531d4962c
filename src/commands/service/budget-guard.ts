import { textMessages } from '../../batch/input/message-text.ts';
import type { CompletionRequest } from '../../client/contract.ts';
import { estimateMessages } from '../../conversation/token-estimate.ts';
import { Failure } from '../../failure.ts';
import {
  endOfPeriod,
  parseBudget,
  startOfPeriod,
  type BudgetLimit,
} from '../../ledger/budget-limit.ts';
import { tokensOf, type LedgerLine } from '../../ledger/ledger-line.ts';
import { localDay } from '../../ledger/local-time.ts';
import { readLedger } from '../../ledger/read-ledger.ts';
import { percent, tokenText } from '../../output/figures.ts';
import { moneyText } from '../../output/money.ts';
import { resolveFolders } from '../../settings/folders.ts';
import { costOf, priceTable, type PriceTable } from '../../settings/prices.ts';
import type { MeterSources } from './metered-service.ts';

/** Holds requests back that might exceed the budget of their profile. */
export interface BudgetGuard {
  /** Waits for running requests if it might not fit beside them. @throws Failure `budget`, `configuration` */
  admit(request: CompletionRequest): Promise<void>;
  /** The request ended. */
  settle(request: CompletionRequest, line: LedgerLine): void;
  /** These lines could not be written. */
  keep(lines: readonly LedgerLine[]): void;
}

export interface GuardOptions extends MeterSources {
  readonly isSandbox: boolean;
  /** Writes the lines that are waiting. */
  readonly flush: () => void;
}

/** Tokens of an answer without a limit, before there is one to compare with. */
const assumedAnswer = 1000;
const warningShare = 0.8;
/** Milliseconds after which the requests of other processes are read again. */
const refreshTime = 5000;

interface Spent {
  /** In tokens or in the currency of the budget. */
  amount: number;
  longestAnswer: number;
}

const missing = (problem: string, hint: string) => new Failure('configuration', problem, { hint });

/** @throws Failure `configuration` for a model without a price in the currency of the budget */
function expenseOf(
  { currency }: BudgetLimit,
  prices: PriceTable,
  model: string,
  { prompt, answer }: { readonly prompt: number; readonly answer: number },
): number {
  if (currency === undefined) return prompt + answer;
  const price = prices.get(model);
  if (price?.currency === currency) return costOf(price, prompt, answer);
  throw missing(
    `a budget in ${currency} needs the price of the model ${model} in ${currency}`,
    `natter config set prices.${model} "0.5/1.5 ${currency}"`,
  );
}

function amountText({ currency }: BudgetLimit, amount: number, isEstimate = false): string {
  if (currency === undefined) return tokenText(Math.round(amount), isEstimate);
  return `${isEstimate ? '~' : ''}${moneyText(new Map([[currency, amount]]))}`;
}

const budgetText = (limit: BudgetLimit) =>
  `the budget of ${amountText(limit, limit.amount)} a ${limit.period}`;

function refusal(limit: BudgetLimit, used: number, next: number, now: Date): Failure {
  const message = `${budgetText(limit)} would be exceeded: ${amountText(limit, used)} used, and this request may use ${amountText(limit, next, true)}`;
  const end = localDay(endOfPeriod(limit.period, now));
  return new Failure('budget', message, {
    hint: `set a smaller --max-tokens, raise the budget (natter config set budget), or wait until ${end}; natter usage shows the requests`,
  });
}

/** @throws Failure `storage` */
function readSpent(options: GuardOptions, limit: BudgetLimit, prices: PriceTable): Spent {
  const { context, settings, isSandbox } = options;
  const { state } = resolveFolders(context);
  const spent: Spent = { amount: 0, longestAnswer: 0 };
  if (state === undefined) return spent;
  const since = startOfPeriod(limit.period, context.clock.date());
  readLedger(state, since, (line) => {
    if ((line.sandbox === true) !== isSandbox || line.profile !== settings.profile.value) return;
    const tokens = tokensOf(line);
    spent.longestAnswer = Math.max(spent.longestAnswer, tokens.answer);
    const isPriced =
      limit.currency === undefined || prices.get(line.model)?.currency === limit.currency;
    // Without a price now, earlier requests of a model cost nothing.
    if (isPriced) spent.amount += expenseOf(limit, prices, line.model, tokens);
  });
  return spent;
}

/** @throws Failure `configuration` */
function requireLedger({ context, settings }: GuardOptions): void {
  if (!settings.values.ledger) {
    throw missing(
      'a budget needs the ledger, which the setting ledger turns off',
      'natter config set ledger true, or natter config unset budget',
    );
  }
  if (resolveFolders(context).state !== undefined) return;
  throw missing(
    'a budget needs the ledger, and its folder is unknown without a home folder',
    'set NATTER_STATE_DIR',
  );
}

interface GuardState {
  readonly options: GuardOptions;
  readonly limit: BudgetLimit;
  readonly prices: PriceTable;
  readonly reserved: Map<CompletionRequest, number>;
  /** In lines that could not be written. */
  lost: number;
  spent: Spent;
  readAt: number;
  hasWarned: boolean;
}

function refresh(state: GuardState): void {
  const { options, limit, prices } = state;
  const now = options.context.clock.monotonic();
  if (now - state.readAt < refreshTime) return;
  options.flush();
  state.readAt = now;
  state.spent = readSpent(options, limit, prices);
}

const usedOf = ({ spent, lost }: GuardState) => spent.amount + lost;

/** Once for a run. */
function warn(state: GuardState): void {
  const { options, limit, hasWarned } = state;
  const used = usedOf(state);
  // A budget that is used up has its own failure.
  if (hasWarned || used < limit.amount * warningShare || used >= limit.amount) return;
  state.hasWarned = true;
  options.notices.warning(`${percent(used, limit.amount)} of ${budgetText(limit)} is used`);
}

/** What the request may use at most. */
function estimate(
  { limit, prices, spent, options }: GuardState,
  request: CompletionRequest,
): number {
  const { model, messages, max_tokens: limited, params } = request;
  const newer = params?.['max_completion_tokens'];
  const most = typeof newer === 'number' ? newer : limited;
  const answer = most ?? (spent.longestAnswer || assumedAnswer);
  const prompt = estimateMessages(textMessages(messages), options.settings.ratios?.get(model));
  return expenseOf(limit, prices, model, { prompt, answer });
}

function createState(options: GuardOptions, limit: BudgetLimit): GuardState {
  return {
    options,
    limit,
    prices: options.isSandbox ? new Map() : priceTable(options.settings.prices),
    reserved: new Map(),
    lost: 0,
    spent: { amount: 0, longestAnswer: 0 },
    readAt: -Infinity,
    hasWarned: false,
  };
}

/** Whether the request is reserved. @throws Failure `budget` if it does not fit, and no other request runs */
function reserve(state: GuardState, request: CompletionRequest): boolean {
  const { options, limit, reserved } = state;
  refresh(state);
  warn(state);
  const next = estimate(state, request);
  const used = usedOf(state);
  const running = [...reserved.values()].reduce((sum, one) => sum + one, 0);
  if (used + running + next <= limit.amount) {
    reserved.set(request, next);
    return true;
  }
  if (reserved.size > 0) return false;
  throw refusal(limit, used, next, options.context.clock.date());
}

/** @throws Failure `configuration` for a budget that cannot be kept */
export function createBudgetGuard(options: GuardOptions, text: string): BudgetGuard {
  requireLedger(options);
  const limit = parseBudget(text);
  const state = createState(options, limit);
  let waiting: (() => void)[] = [];
  const costFor = (line: LedgerLine) => expenseOf(limit, state.prices, line.model, tokensOf(line));
  return {
    async admit(request) {
      while (!reserve(state, request)) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    settle(request, line) {
      if (!state.reserved.delete(request)) return;
      const { spent } = state;
      spent.amount += costFor(line);
      spent.longestAnswer = Math.max(spent.longestAnswer, tokensOf(line).answer);
      const ready = waiting;
      waiting = [];
      for (const resume of ready) resume();
    },
    keep(lines) {
      state.lost += lines.reduce((sum, line) => sum + costFor(line), 0);
    },
  };
}
