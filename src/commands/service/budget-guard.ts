import { textMessages } from '../../conversation/message-text.ts';
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
import { percent, tokenText, moneyText } from '../../output/figures.ts';
import { resolveFolders } from '../../settings/folders.ts';
import type { Source } from '../../settings/resolved-settings.ts';
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

/** How to raise the budget, by where it is from. */
function raiseHint({ kind, name }: Source): string {
  if (kind === 'flag' || kind === 'environment') return `raise ${name}`;
  if (kind === 'prompt file') return `raise the budget of ${name}`;
  return 'raise the budget (natter config set budget)';
}

function refusal(state: GuardState, request: CompletionRequest, used: number): Failure {
  const { options, limit } = state;
  const next = estimate(state, request);
  const message = `${budgetText(limit)} would be exceeded: ${amountText(limit, used)} used, and this request may use ${amountText(limit, next, true)}`;
  const fitsShorter = used + estimate(state, request, 1) <= limit.amount;
  const shorter =
    answerLimit(request) === undefined ? 'set --max-tokens' : 'set a smaller --max-tokens';
  const end = localDay(endOfPeriod(limit.period, options.context.clock.date()));
  const raise = raiseHint(options.settings.sources.budget);
  const usage = options.isSandbox ? 'natter usage --sandbox' : 'natter usage';
  const ways = fitsShorter
    ? `${shorter}, ${raise}, or wait until ${end}`
    : `${raise}, or wait until ${end}`;
  return new Failure('budget', message, { hint: `${ways}; ${usage} shows the requests` });
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

function answerLimit({ max_tokens: limited, params }: CompletionRequest): number | undefined {
  const newer = params?.['max_completion_tokens'];
  return typeof newer === 'number' ? newer : limited;
}

/** What the request may use at most, with an answer of `most` tokens. */
function estimate(
  { options, limit, prices, spent }: GuardState,
  request: CompletionRequest,
  most = answerLimit(request),
): number {
  const { model, messages } = request;
  const answer = most ?? (spent.longestAnswer || assumedAnswer);
  const prompt = estimateMessages(textMessages(messages), options.settings.ratios?.get(model));
  return expenseOf(limit, prices, model, { prompt, answer });
}

function createState(options: GuardOptions, limit: BudgetLimit): GuardState {
  return {
    options,
    limit,
    prices: priceTable(options.settings.prices),
    reserved: new Map(),
    lost: 0,
    spent: { amount: 0, longestAnswer: 0 },
    readAt: -Infinity,
    hasWarned: false,
  };
}

/** Whether the request is reserved. @throws Failure `budget` if it does not fit, and no other request runs */
function reserve(state: GuardState, request: CompletionRequest): boolean {
  const { limit, reserved } = state;
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
  throw refusal(state, request, used);
}

/**
 * @returns undefined for a budget that does not limit the service
 * @throws Failure `configuration` for a budget that cannot be kept
 */
export function createBudgetGuard(options: GuardOptions, text: string): BudgetGuard | undefined {
  requireLedger(options);
  const limit = parseBudget(text);
  if (options.isSandbox && limit.currency !== undefined) {
    options.notices.notice('the sandbox costs nothing: only a budget in tokens limits it');
    return undefined;
  }
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
