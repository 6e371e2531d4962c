import { expect, test } from 'vitest';
import {
  count,
  figuresLine,
  figuresText,
  type MeasuredAnswer,
  moneyText,
  percent,
  timeAgo,
  tokensPerSecond,
  tokenText,
} from '../../src/output/figures.ts';
import { plainStyle } from '../../src/terminal/style.ts';

const origin: MeasuredAnswer = {
  label: 'origin',
  content: 'text',
  usage: { prompt_tokens: 1200, completion_tokens: 210 },
  timing: { firstText: 18.4, total: 4218.4 },
  endReason: 'stop',
};
const cut: MeasuredAnswer = {
  label: 'nextgen',
  content: 'x'.repeat(400),
  timing: { firstText: 1500, total: 3500 },
  endReason: 'unreachable',
};
const silent: MeasuredAnswer = {
  label: 'llama',
  content: '',
  timing: { total: 40 },
  endReason: '-',
};
const style = plainStyle;
const layout = (isTerminal: boolean, width = 80) => ({ isTerminal, width, style });

test.each([
  [100, { firstText: 0, total: 2000 }, 50],
  [100, { firstText: 0, total: 49 }, undefined],
  [100, { total: 2000 }, undefined],
  [100, undefined, undefined],
])('%i tokens in %j are %s per second', (tokens, timing, rate) => {
  expect(tokensPerSecond(tokens, timing)).toBe(rate);
});

test.each([
  [
    origin,
    'origin · first text after 18 ms · 50 tokens/s · 1,200 tokens in · 210 out · 4.2 s · stop',
  ],
  [cut, 'nextgen · first text after 1.5 s · ~50 tokens/s · ~100 out · 3.5 s · unreachable'],
  [silent, 'llama · ~0 out · 40 ms'],
])('one line has the known figures and marks estimates', (answer, line) => {
  expect(figuresLine(answer)).toBe(line);
});

test('the figures of several answers are a table on a terminal', () => {
  expect(figuresText([origin, cut, silent], layout(true))).toBe(
    [
      'model    first text  tokens/s     in   out   time  ended',
      'origin        18 ms        50  1,200   210  4.2 s  stop',
      'nextgen       1.5 s       ~50      -  ~100  3.5 s  unreachable',
      'llama             -         -      -    ~0  40 ms  -',
      '',
    ].join('\n'),
  );
});

test.each([
  ['are lines if a table does not fit', [origin, cut], 50],
  ['break their lines between words in a narrow window', [origin], 40],
])('the figures of several answers %s', (_what, answers, width) => {
  const text = figuresText(answers, layout(true, width));
  expect(text.replaceAll('\n  ', ' ')).toBe(answers.map((one) => `${figuresLine(one)}\n`).join(''));
  expect(text.split('\n').filter((row) => row.length > width)).toEqual([]);
});

test('the figures of several answers are tab-separated in a pipe', () => {
  expect(figuresText([origin], layout(false, 10))).toBe(
    'origin\t18 ms\t50\t1,200\t210\t4.2 s\tstop\n',
  );
});

test('a label cannot control the terminal', () => {
  const hostile = { ...origin, label: 'a\u001B[31mb\nc' };
  expect(figuresLine(hostile)).toContain('ab c ·');
  expect(figuresText([hostile], layout(true))).toContain('ab c ');
});

test.each([
  [0, false, '0 tokens'],
  [1, false, '1 token'],
  [1, true, '~1 token'],
  [2040, true, '~2,040 tokens'],
])('Y19: %i tokens, an estimate: %s, are written as %s', (tokens, isEstimate, text) => {
  expect(tokenText(tokens, isEstimate)).toBe(text);
});

test('Y19: a percentage has no space before its sign', () => {
  expect(percent(64_000, 128_000)).toBe('50%');
});

test.each([0, 7, 999, 1000, 12_345, 1_234_567, -1000, -999, 2 ** 53, Number.NaN])(
  'formats %d as the locale en-US does',
  (value) => {
    expect(count(value)).toBe(value.toLocaleString('en-US'));
  },
);

test.each<[Record<string, number>, string]>([
  [{ USD: 0 }, '0.00 USD'],
  [{ USD: 0.0000123 }, '0.000012 USD'],
  [{ USD: 0.5 }, '0.50 USD'],
  [{ USD: 1234.567 }, '1,234.57 USD'],
  [{ USD: 1, EUR: 2 }, '1.00 USD + 2.00 EUR'],
  [{}, ''],
])('the amounts %j are written as %j', (amounts, text) => {
  expect(moneyText(new Map(Object.entries(amounts)))).toBe(text);
});

test.each([
  [59, 'just now'],
  [60, '1 minute ago'],
  [7_200, '2 hours ago'],
  [14.5 * 86_400, '14 days ago'],
  [15 * 86_400, '2026-11-05'],
])('a time %d seconds ago is %s', (seconds, text) => {
  const now = new Date('2026-11-20T12:00:00Z');
  expect(timeAgo(new Date(now.getTime() - seconds * 1000), now)).toBe(text);
});
