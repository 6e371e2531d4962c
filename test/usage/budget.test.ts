import { expect, test } from 'vitest';
import type { CompletionRequest } from '../../src/client/contract.ts';
import { silentNotices } from '../../src/output/notices.ts';
import type { Run } from '../../src/run.ts';
import type { ResolvedSettings } from '../../src/settings/resolved-settings.ts';
import { limitsOfRun, openBudget } from '../../src/usage/budget.ts';
import type { LedgerLine } from '../../src/usage/ledger.ts';
import { createMemoryContext } from '../support/memory-context.ts';

/** Prompts and answers cost the same for each token. */
const price = { input: 1_000_000, output: 1_000_000, currency: 'USD' };
const settings = {
  values: { model: 'origin' },
  prices: new Map([['origin', price]]),
} as unknown as ResolvedSettings;

/** The budgets of two services of a run. */
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
