import { expect, test } from 'vitest';
import type { CompletionRequest } from '../../src/client/contract.ts';
import { silentNotices } from '../../src/output/notices.ts';
import type { Run } from '../../src/run.ts';
import type { ResolvedSettings } from '../../src/settings/resolved-settings.ts';
import { limitsOfRun, openBudget, parseBudget } from '../../src/usage/budget.ts';
import type { LedgerLine } from '../../src/usage/ledger.ts';
import { createMemoryContext } from '../support/memory-context.ts';
import { definitions } from '../../src/settings/definitions.ts';
import { endOfPeriod, type Period, startOfPeriod } from '../../src/usage/days.ts';

/** Prompts and answers cost the same for each token. */
const price = { input: 1_000_000, output: 1_000_000, currency: 'USD' };
const settings = {
  values: { model: 'origin' },
  prices: new Map([['origin', price]]),
} as unknown as ResolvedSettings;

function openBudgets(most: { readonly tokens?: number; readonly cost?: number }) {
  const limits = limitsOfRun(most, settings);
  const { context } = createMemoryContext();
  const presentation = { notices: silentNotices };
  const run = { context, presentation, settings } as unknown as Run;
  const source = { command: 'batch', limits };
  return [openBudget(run, source, false), openBudget(run, source, false)] as const;
}

/** A request whose prompt has no tokens. */
const requestOf = (answer?: number): CompletionRequest => ({
  model: 'origin',
  messages: [],
  ...(answer !== undefined && { max_tokens: answer }),
});

const used = (tokens: number) =>
  ({ prompt_tokens: 0, completion_tokens: tokens }) as unknown as LedgerLine;

/** Whether a promise is settled after all code that is ready has run. */
async function isSettled(promise: Promise<void>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

test('a request that does not fit is refused when no other one runs', async () => {
  const [budget] = openBudgets({ tokens: 100 });
  const first = requestOf(60);
  await budget.reserve(first);
  const second = budget.reserve(requestOf(50));
  budget.settle(first, used(60));
  await expect(second).rejects.toMatchObject({
    kind: 'budget',
    message:
      '--max-total-tokens (100 tokens) would be exceeded: 60 tokens used, and this request may use ~50 tokens',
  });
});

test('an answer without a limit is estimated by the longest one so far', async () => {
  const [budget] = openBudgets({ tokens: 1100 });
  const first = requestOf();
  await budget.reserve(first);
  budget.settle(first, used(40));
  const second = requestOf();
  await budget.reserve(second);
  budget.settle(second, used(1030));
  await expect(budget.reserve(requestOf())).rejects.toMatchObject({
    message: expect.stringContaining('~1,030 tokens') as string,
    hint: 'set --max-tokens',
  });
});

test('sums of money are not exact', async () => {
  const [budget] = openBudgets({ cost: 0.3 });
  const fractions = [0.1, 0.1, 0.1].map((amount) => requestOf(amount));
  for (const request of fractions) await budget.reserve(request);
  expect(await isSettled(budget.reserve(requestOf(0.1)))).toBe(false);
});

test('requests wait for running ones of all services, and go on when those used less', async () => {
  const [one, other] = openBudgets({ tokens: 100 });
  const first = requestOf(60);
  await one.reserve(first);
  const second = other.reserve(requestOf(60));
  expect(await isSettled(second)).toBe(false);
  one.settle(first, used(30));
  await second;
});

test('a model without a price is refused by a limit in money', async () => {
  const [budget] = openBudgets({ cost: 1 });
  await expect(budget.reserve({ ...requestOf(1), model: 'nextgen' })).rejects.toMatchObject({
    kind: 'configuration',
    message: '--max-cost needs the price of the model nextgen in USD',
    hint: 'natter config set prices.nextgen "0.5/1.5 USD"',
  });
});

test.each([
  ['2M/day', { amount: 2_000_000, currency: undefined, period: 'day' }],
  ['500k/week', { amount: 500_000, currency: undefined, period: 'week' }],
  ['1000 / month', { amount: 1000, currency: undefined, period: 'month' }],
  ['1.5G/month', { amount: 1_500_000_000, currency: undefined, period: 'month' }],
  ['5usd/week', { amount: 5, currency: 'USD', period: 'week' }],
  ['20.50 EUR/Month', { amount: 20.5, currency: 'EUR', period: 'month' }],
])('%s is a budget', (text, limit) => {
  const value = definitions.budget.type.parse(text) ?? '';
  expect(parseBudget(value)).toEqual(limit);
});

test.each(['', '0/day', '0.0usd/day', '2M', '2M/year', '/day', '-1/day', '5euros/day', '2MB/day'])(
  '%j is no budget',
  (text) => {
    expect(definitions.budget.type.parse(text)).toBeUndefined();
  },
);

// Local times, so that the test holds in every time zone.
const sunday = new Date(2026, 10, 22, 15, 30);

const monday = new Date(2026, 10, 16, 0, 0, 1);

test.each<[Period, Date, Date, Date?]>([
  ['week', new Date(2026, 10, 16), new Date(2026, 10, 23), monday],
  ['day', new Date(2026, 10, 22), new Date(2026, 10, 23)],
  ['week', new Date(2026, 10, 16), new Date(2026, 10, 23)],
  ['month', new Date(2026, 10, 1), new Date(2026, 11, 1)],
])('a %s begins and ends at local midnight', (period, start, end, now = sunday) => {
  expect(startOfPeriod(period, now)).toEqual(start);
  expect(endOfPeriod(period, now)).toEqual(end);
});
