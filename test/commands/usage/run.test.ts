import { expect, test } from 'vitest';
import type { LedgerLine } from '../../../src/usage/ledger.ts';
import { configWith } from '../../support/data-folder.ts';
import { runInContext } from '../../support/in-memory.ts';
import { stateWith } from '../../usage/ledger-place.ts';
import type { MemoryOptions } from '../../support/memory-context.ts';

/** Runs `natter usage` at 2026-11-20 12:00 UTC. @returns the output */
async function usage(
  words: readonly string[],
  lines: readonly (Partial<LedgerLine> | string)[],
  options: MemoryOptions = {},
) {
  const own = { NATTER_STATE_DIR: stateWith(lines), LANG: 'C.UTF-8' };
  const environment = { ...own, ...options.environment };
  return runInContext(['usage', ...words], { ...options, environment });
}

const terminal = (columns = 80): MemoryOptions => ({ terminals: ['stdout'], columns });

const lines: readonly Partial<LedgerLine>[] = [
  { time: '2026-11-18T10:00:00Z', model: 'nextgen', prompt_tokens: 2000, completion_tokens: 500 },
  {
    time: '2026-11-20T10:00:00Z',
    command: 'batch',
    outcome: 'rate_limited',
    prompt_tokens: null,
    completion_tokens: null,
  },
  { time: '2026-11-20T11:00:00Z', profile: 'work' },
];

test('on a terminal, each day has its figures and a bar, and a total below; fewer in a narrow window', async () => {
  const wide = await usage(['--color', 'never'], lines, terminal());
  expect(wide.stdout).toBe(
    [
      'DAY         REQUESTS  FAILED     IN  OUT',
      '2026-11-18         1          2,000  500  ████████████████████',
      '2026-11-20         2       1    100   20  █',
      'total              3       1  2,100  520',
      '',
    ].join('\n'),
  );
  expect(wide.stderr).toBe('');
  const narrow = await usage(['--color', 'never'], lines, terminal(36));
  expect(narrow.stdout).toMatch(/^DAY {9}REQUESTS {5}IN {2}OUT\n(?:.{32}\n){3}$/);
});

test('in a pipe, rows are tab-separated, without a heading and a total', async () => {
  const { stdout } = await usage(['--by', 'model'], lines);
  expect(stdout).toBe('nextgen\t1\t0\t2000\t500\t\norigin\t2\t1\t100\t20\t\n');
});

test.each([
  ['profile', /^default\t2\t.*\nwork\t1\t.*\n$/],
  ['command', /^chat\t2\t.*\nbatch\t1\t.*\n$/],
])('--by %s groups the requests', async (by, rows) => {
  expect((await usage(['--by', by], lines)).stdout).toMatch(rows);
});

test.each([
  ['1d', 2],
  ['3d', 3],
  ['today', 2],
  ['1h', 1],
  ['2026-11-19', 2],
  ['2026-11', 3],
])('--since %s selects %d requests', async (since, requests) => {
  const { stdout } = await usage(['--since', since, '--json'], lines);
  expect(JSON.parse(stdout)).toMatchObject({ total: { requests } });
});

const badTimes = ['', 'yesterday', '0d', '2026-13', '2026-02-30', '7'];

test.each(badTimes)('--since %j is a usage failure', async (since) => {
  expect((await usage([`--since=${since}`], [])).failure).toMatchObject({ kind: 'usage' });
});

test('requests of earlier months are read', async () => {
  const earlier = [{ time: '2026-09-30T23:59:59Z' }, { time: '2026-10-31T12:00:00Z' }, {}];
  const { stdout } = await usage(['--since', '2026-10', '--json'], earlier);
  expect(JSON.parse(stdout)).toMatchObject({ total: { requests: 2 } });
});

test('JSON has all sums, and what could not be read', async () => {
  const { stdout } = await usage(['--json', '--by', 'model'], lines);
  const sums = { estimated_requests: 0, cost: null };
  const nextgen = { requests: 1, failed: 0, prompt_tokens: 2000, completion_tokens: 500 };
  const origin = { requests: 2, failed: 1, prompt_tokens: 100, completion_tokens: 20 };
  const total = { requests: 3, failed: 1, prompt_tokens: 2100, completion_tokens: 520 };
  expect(JSON.parse(stdout)).toEqual({
    since: expect.any(String) as string,
    time_zone: expect.any(String) as string,
    by: 'model',
    rows: [
      { model: 'nextgen', ...nextgen, ...sums, unpriced_requests: 1 },
      { model: 'origin', ...origin, ...sums, unpriced_requests: 1 },
    ],
    total: { ...total, ...sums, unpriced_requests: 2 },
    unreadable_lines: 0,
  });
});

test('broken lines are skipped, and a warning names the file and the first of them', async () => {
  const broken = ['{"time":"2026-11-', '[]', '', '{"time":"never"}', '\u0000'];
  const { stdout, stderr } = await usage(['--json'], [...lines, ...broken]);
  expect(JSON.parse(stdout)).toMatchObject({ total: { requests: 3 }, unreadable_lines: 4 });
  expect(stderr).toMatch(
    /^natter: warning: 4 lines, from line 4 on, of \S+\.jsonl could not be read; the rest is used, and the file is kept\n$/,
  );
});

test('estimated tokens are marked', async () => {
  const unknown = { prompt_tokens: null, completion_tokens: null };
  const estimated = { ...unknown, estimated: { prompt_tokens: 7 } };
  expect((await usage(['--color', 'never'], [estimated], terminal())).stdout).toContain('~7');
});

test('the prices of each profile give the cost, as they are now', async () => {
  const profiles = {
    default: { prices: { nextgen: '1000/2000 USD' } },
    work: { prices: { origin: '1000/5000 EUR' } },
  };
  const environment = { NATTER_CONFIG_DIR: configWith(profiles) };
  const priced = await usage(['--color', 'never'], lines, { ...terminal(), environment });
  expect(priced.stdout).toContain('3.00 USD + 0.20 EUR');
  expect(priced.stderr).toBe('');
  const { stdout, stderr } = await usage(['--json'], [...lines, {}], { environment });
  const total = { cost: { USD: 3, EUR: 0.2 }, unpriced_requests: 1 };
  expect(JSON.parse(stdout)).toMatchObject({ total });
  expect(stderr).toContain(
    '1 request is not in the cost: the model has no price; natter config set prices.origin 0.5/1.5 --profile default\n',
  );
});

test('requests to the sandbox are shown apart, without a cost', async () => {
  const NATTER_CONFIG_DIR = configWith({ default: { prices: { origin: '1000/2000 USD' } } });
  const options = { environment: { NATTER_CONFIG_DIR } };
  const sandboxed = [{ sandbox: true } as const];
  expect(await usage([], sandboxed, options)).toMatchObject({
    stdout: '',
    stderr:
      'natter: no requests since 2026-10-22; natter usage --sandbox shows 1 request to the sandbox\n',
  });
  const { stdout } = await usage(['--sandbox', '--by', 'model'], sandboxed, options);
  expect(stdout).toBe('origin\t1\t0\t100\t20\t\n');
});

test('an unknown profile is refused, unless it has requests', async () => {
  expect((await usage(['--profile', 'wrok'], lines)).failure).toMatchObject({
    kind: 'configuration',
    message: 'there is no profile "wrok"',
    hint: 'the profiles are default',
  });
  const work = await usage(['--profile', 'work', '--by', 'profile'], lines);
  expect(work.stdout).toBe('work\t1\t0\t100\t20\t\n');
  expect(await usage(['--profile', 'default'], [])).toMatchObject({
    stdout: '',
    stderr: 'natter: no requests since 2026-10-22\n',
  });
});
