// Holds requests back that might exceed the budget of a profile, or a limit of a run.
import type { CompletionRequest } from '../client/contract.ts';
import { textMessages } from '../conversation/message-text.ts';
import { estimateMessages } from '../conversation/token-estimate.ts';
import { Failure } from '../failure.ts';
import { moneyText, percent, tokenText } from '../output/figures.ts';
import type { Run } from '../run.ts';
import { resolveFolders } from '../settings/folders.ts';
import { costOf, type TokenCounts } from '../settings/prices.ts';
import type { ResolvedSettings, Source } from '../settings/resolved-settings.ts';
import { endOfPeriod, localDay, type Period, startOfPeriod } from './days.ts';
import { readLedger, tokensOf, type LedgerLine } from './ledger.ts';
import { unreadLines } from '../storage/read-lines.ts';

/** The tokens of an answer without a limit, before there is one to compare with. */
const assumedAnswer = 1000;
const warningShare = 0.8;
/** Rounding errors of sums are smaller than this share. */
const tolerance = 1e-9;
/** The milliseconds after which the requests of other processes are read again. */
const refreshTime = 5000;

/** The most that requests may use. */
interface Amount {
  readonly amount: number;
  /** An ISO 4217 code; undefined for tokens. */
  readonly currency: string | undefined;
}

/** An amount, and what requests have used of it. */
export type Limit = ReturnType<typeof createLimit>;

/**
 * @param name `--max-total-tokens`, `the daily budget`
 * @param otherWays what may help besides a shorter answer; undefined for the limits of a run
 */
const createLimit = (amount: Amount, name: string, otherWays?: () => string) => ({
  ...amount,
  name,
  otherWays,
  used: 0,
  /** The length of the longest answer, in tokens. */
  longestAnswer: 0,
  /** The estimates of running requests. */
  reserved: new Map<CompletionRequest, number>(),
  /** Resume the requests that wait for running ones. */
  waiting: [] as (() => void)[],
});

/** What sends the requests of a service. A fallback or a new key opens services with the same source. */
export interface UsageSource {
  /** The same as in `LedgerLine`. */
  readonly command: string;
  /** The id of the saved conversation; undefined without one. */
  readonly conversation?: () => string | undefined;
  /** The id of a run of a batch. */
  readonly batch?: string;
  /** Limits of the run, beside the budget of the profile. */
  readonly limits?: readonly Limit[];
  /** Gets the cost of each request with a price, by currency. */
  readonly costs?: Map<string, number>;
}

/** Makes the limits of a run of a batch, in tokens and in the currency of the prices; undefined is no limit. */
export function limitsOfRun(
  { tokens, cost }: { readonly tokens?: number | undefined; readonly cost?: number | undefined },
  { prices, values }: ResolvedSettings,
): readonly Limit[] {
  const [first] = prices.values();
  const { currency = 'USD' } = prices.get(values.model) ?? first ?? {};
  return [
    tokens === undefined
      ? undefined
      : createLimit({ amount: tokens, currency: undefined }, '--max-total-tokens'),
    cost === undefined ? undefined : createLimit({ amount: cost, currency }, '--max-cost'),
  ].filter((limit) => limit !== undefined);
}

const units: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9 };

/** Reads a value of the setting `budget`, such as `2M/day` or `5usd/week`. */
export function parseBudget(text: string): Amount & { readonly period: Period } {
  const [, digits = '', unit = '', period = 'day'] =
    /^([\d.]+)\s*([a-z]*)\s*\/\s*([a-z]+)$/.exec(text.trim().toLowerCase()) ?? [];
  const factor = units[unit];
  return {
    amount: Number(digits) * (factor ?? 1),
    currency: factor === undefined ? unit.toUpperCase() : undefined,
    period: period as Period,
  };
}

function amountText({ currency }: Amount, amount: number): string {
  if (currency === undefined) return tokenText(Math.round(amount));
  return moneyText(new Map([[currency, amount]]));
}

const nameOf = (limit: Limit) => `${limit.name} (${amountText(limit, limit.amount)})`;

/** Says how to raise the budget, by where it is from. */
function raiseHint({ kind, name }: Source): string {
  if (kind === 'flag' || kind === 'environment') return `raise ${name}`;
  if (kind === 'prompt file') return `raise the budget of ${name}`;
  return 'raise the budget (‹natter config set budget›)';
}

/** Estimates the tokens that a request uses at most; `answer` is undefined for a request without a limit. */
export function estimateRequest(request: CompletionRequest) {
  const newer = request.params?.['max_completion_tokens'];
  return {
    prompt: estimateMessages(textMessages(request.messages)),
    answer: typeof newer === 'number' ? newer : request.max_tokens,
  };
}

/** Counts tokens in the unit of a limit. @throws Failure `configuration` for a model without a price in its currency */
function expenseOf(
  { currency, name }: Limit,
  { prices }: ResolvedSettings,
  isSandbox: boolean,
  model: string,
  tokens: TokenCounts,
): number {
  if (currency === undefined) return tokens.prompt + tokens.answer;
  const price = prices.get(model);
  if (price?.currency === currency) return costOf(price, tokens);
  const problem = `${name} needs the price of the model ${model} in ${currency}`;
  throw new Failure('configuration', problem, {
    hint: isSandbox
      ? 'the sandbox has no prices; use --max-total-tokens'
      : `‹natter config set prices.${model} "0.5/1.5 ${currency}"›`,
  });
}

/** Opens the limit of the setting `budget`, for which the requests of all processes count. */
function openPeriod(run: Run, text: string, isSandbox: boolean) {
  const { context, presentation, settings } = run;
  const { notices } = presentation;
  const { clock } = context;
  const { state } = resolveFolders(context);
  const { ledger: isOn } = settings.values;
  if (state === undefined || !isOn) {
    const why = isOn ? 'whose folder is unknown' : 'which the setting ledger turns off';
    const hint = isOn
      ? 'set NATTER_STATE_DIR'
      : '‹natter config set ledger true›, or ‹natter config unset budget›';
    throw new Failure('configuration', `a budget needs the ledger, ${why}`, { hint });
  }
  const amount = parseBudget(text);
  if (isSandbox && amount.currency !== undefined) {
    notices.notice('the sandbox costs nothing: only a budget in tokens limits it');
    return undefined;
  }
  const { period } = amount;
  const limit = createLimit(
    amount,
    `the ${period === 'day' ? 'daily' : `${period}ly`} budget`,
    () => {
      const end = localDay(endOfPeriod(period, clock.date()));
      const usage = isSandbox ? '‹natter usage --sandbox›' : '‹natter usage›';
      return `${raiseHint(settings.sources.budget)}, or wait until ${end}; ${usage} shows the requests`;
    },
  );
  const expense = (line: LedgerLine) =>
    expenseOf(limit, settings, isSandbox, line.model, tokensOf(line));
  const isPriced = ({ model }: LedgerLine) =>
    limit.currency === undefined || settings.prices.get(model)?.currency === limit.currency;
  let lost = 0;
  let readAt = -Infinity;
  let hasWarned = false;
  /** The damaged files that the user knows of. */
  const said = new Set<string>();

  const read = () => {
    readAt = clock.monotonic();
    limit.used = lost;
    const unread = readLedger(state, startOfPeriod(period, clock.date()), (line) => {
      if ((line.sandbox === true) !== isSandbox) return;
      if (line.profile !== settings.profile.value) return;
      limit.longestAnswer = Math.max(limit.longestAnswer, tokensOf(line).answer);
      // Without a price now, earlier requests of a model cost nothing.
      if (isPriced(line)) limit.used += expense(line);
    });
    for (const [file, lines] of unread) {
      if (!said.has(file)) notices.warning(unreadLines(file, lines));
      said.add(file);
    }
  };
  return {
    limit,
    /** Warns once for a run, and not of a budget that is used up, which has its own failure. @throws Failure `storage` */
    refresh(): void {
      if (clock.monotonic() - readAt >= refreshTime) read();
      const { used, amount: most } = limit;
      if (hasWarned || used < most * warningShare || used >= most) return;
      hasWarned = true;
      notices.warning(`${percent(used, most)} of ${nameOf(limit)} is used`);
    },
    keep(line: LedgerLine): void {
      if (isPriced(line)) lost += expense(line);
    },
  };
}

/**
 * Opens the budget of the settings, and the limits of the run.
 * @throws Failure `configuration` for a budget that cannot be kept
 */
export function openBudget(run: Run, source: UsageSource, isSandbox: boolean) {
  const { settings } = run;
  const { budget: text } = settings.values;
  const period = text === undefined ? undefined : openPeriod(run, text, isSandbox);
  const limits = [...(period === undefined ? [] : [period.limit]), ...(source.limits ?? [])];

  /** Returns what the request may use of the limit at most. */
  function expected(limit: Limit, request: CompletionRequest): number {
    const { prompt, answer = limit.longestAnswer || assumedAnswer } = estimateRequest(request);
    return expenseOf(limit, settings, isSandbox, request.model, { prompt, answer });
  }
  function refusal(limit: Limit, request: CompletionRequest): Failure {
    const [used, next] = [limit.used, expected(limit, request)].map((one) =>
      amountText(limit, one),
    );
    const hasLimit = estimateRequest(request).answer !== undefined;
    const shorter = hasLimit ? 'set a smaller --max-tokens' : 'set --max-tokens';
    const helps = limit.otherWays === undefined ? !hasLimit : limit.used < limit.amount;
    const ways = [helps ? shorter : undefined, limit.otherWays?.()];
    const hint = ways.filter((way) => way !== undefined).join(', ') || undefined;
    const message = `${nameOf(limit)} would be exceeded: ${used} used, and this request may use ~${next}`;
    return new Failure('budget', message, { hint });
  }
  /** Finds the first limit that the request might exceed beside running ones. */
  function firstFull(request: CompletionRequest): Limit | undefined {
    period?.refresh();
    return limits.find((limit) => {
      const running = [...limit.reserved.values()].reduce((sum, one) => sum + one, 0);
      const used = limit.used + running + expected(limit, request);
      return used > limit.amount * (1 + tolerance);
    });
  }
  return {
    /** Waits for running requests if this one might not fit beside them. @throws Failure `budget`, `configuration` */
    async reserve(request: CompletionRequest) {
      for (let full = firstFull(request); full !== undefined; full = firstFull(request)) {
        const { waiting, reserved } = full;
        if (reserved.size === 0) throw refusal(full, request);
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      for (const limit of limits) limit.reserved.set(request, expected(limit, request));
    },
    /** Counts a request that has ended. */
    settle(request: CompletionRequest, line: LedgerLine) {
      const tokens = tokensOf(line);
      for (const limit of limits) {
        if (!limit.reserved.delete(request)) continue;
        limit.used += expenseOf(limit, settings, isSandbox, request.model, tokens);
        limit.longestAnswer = Math.max(limit.longestAnswer, tokens.answer);
        const ready = limit.waiting;
        limit.waiting = [];
        for (const resume of ready) resume();
      }
    },
    /** Counts a line that could not be written to the ledger. */
    keep: (line: LedgerLine) => period?.keep(line),
  };
}
