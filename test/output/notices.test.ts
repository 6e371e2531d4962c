import { expect, test } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { chooseAnswerFormat } from '../../src/output/answer-printer.ts';
import { toFailure } from '../../src/output/ending-failure.ts';
import { usageLine } from '../../src/output/figures.ts';
import {
  createNotices,
  filteredNotice,
  finishNotice,
  noticeRows,
} from '../../src/output/notices.ts';
import { createMemoryOutput } from '../support/memory-context.ts';

test.each([
  [{}, true, 'markdown'],
  [{}, false, 'text'],
  [{ plain: true }, true, 'plain'],
  [{ plain: true }, false, 'text'],
  [{ markdown: true }, false, 'markdown'],
  [{ raw: true }, true, 'exact'],
  [{ json: true }, true, 'json'],
  [{ jsonl: true }, false, 'jsonl'],
])('the format of an answer: %j with a terminal: %s is %s', (options, isTerminal, format) => {
  expect(chooseAnswerFormat(options, isTerminal)).toBe(format);
});

test('the format of an answer: two formats cannot be used together', () => {
  expect(() => chooseAnswerFormat({ json: true, raw: true }, true)).toThrow(
    '--json and --raw cannot be used together',
  );
});

test.each([
  ['length', 'the answer reached the token limit (finish_reason length)'],
  ['odd', 'the answer ended with finish_reason odd'],
  ['stop', undefined],
  [undefined, undefined],
])('the notice about an answer with the reason %s is %s', (finishReason, notice) => {
  const metadata = { complete: true, ...(finishReason === undefined ? {} : { finishReason }) };
  expect(finishNotice(metadata)).toBe(notice);
});

test.each([
  [{ firstText: 1, total: 2 }, undefined],
  [{ total: 2 }, 'the answer is empty'],
])('the notice about an answer timed %j is %s', (timing, notice) => {
  expect(finishNotice({ complete: true, finishReason: 'stop', timing })).toBe(notice);
});

test('the notice about removed characters has their number', () => {
  expect(filteredNotice(0)).toBeUndefined();
  expect(filteredNotice(1)).toMatch(/^1 control or hidden character of/);
  expect(filteredNotice(2)).toMatch(/^2 control or hidden characters of.*not shown; a pipe gets/);
  expect(filteredNotice(2, true)).toMatch(/; --raw shows them, and a pipe gets them unchanged$/);
});

const usage = { prompt_tokens: 1200, completion_tokens: 500 };
test.each([
  [{ model: 'nextgen' }, 'nextgen'],
  [{}, 'asked'],
  [{ usage }, 'asked · 1,200 tokens in, 500 out'],
  [{ usage: { prompt_tokens: 1, completion_tokens: 1 } }, 'asked · 1 token in, 1 out'],
  [
    { usage, timing: { firstText: 20, total: 1020 } },
    'asked · 1,200 tokens in, 500 out · 1.0 s · 500 tokens/s',
  ],
  [{ usage, timing: { firstText: 20, total: 60 } }, 'asked · 1,200 tokens in, 500 out · 0.1 s'],
  [{ timing: { total: 75_400 } }, 'asked · 75 s'],
])('the usage line of %j is %s', (metadata, line) => {
  expect(usageLine({ complete: true, ...metadata }, 'asked')).toBe(line);
});

test('notices are one sanitized, masked line each; with quiet, only warnings are shown', () => {
  const stderr = createMemoryOutput();
  const mask = (text: string) => text.replace('secret', '***');
  createNotices(stderr, false, mask).notice('a secret\nb\u001B[31m');
  createNotices(stderr, true, mask).notice('not this');
  createNotices(stderr, true, mask).warning('mind it');
  expect(stderr.text()).toBe('natter: a *** b\nnatter: warning: mind it\n');
});

test('N13: of the warnings about storage, only the first is shown', () => {
  const stderr = createMemoryOutput();
  const notices = createNotices(stderr, false, (text) => text);
  notices.warning('not saved', 'storage');
  notices.warning('not in the ledger', 'storage');
  notices.warning('a risk');
  expect(stderr.text()).toBe('natter: warning: not saved\nnatter: warning: a risk\n');
});

test.each([
  [new TypeError('odd'), 'unexpected error: odd'],
  ['a string', 'unexpected error: a string'],
  [undefined, 'unexpected error: undefined'],
])('the report of %s is unexpected', (thrown, message) => {
  expect(toFailure(thrown)).toMatchObject({ kind: 'unexpected', message });
});

test('the report of a failure is unchanged', () => {
  const failure = new Failure('rate_limited', 'slow down');
  expect(toFailure(failure)).toBe(failure);
});

test.each([
  ['natter: fits', 'natter: fits'],
  ['natter: one two three four five', 'natter: one two\n        three four\n        five'],
  // Too little room for rows.
  ['natter: warning: one two', 'natter: warning: one two'],
  ['natter: a\n  one two three four five\n', 'natter: a\n  one two three four\n  five\n'],
])('%j in 20 columns', (text, rows) => {
  expect(noticeRows(text, 20)).toBe(rows);
});

test.each([
  [
    '  check the base URL: ‹natter config set base-url <url>›; then try again',
    ['  check the base URL:', '  natter config set base-url <url>; then', '  try again'],
  ],
  [
    '  ‹natter models list› shows the models that are available',
    ['  natter models list shows the models', '  that are available'],
  ],
  [
    'natter: to pass more of it, use ‹--retry-max-wait 60s›',
    ['natter: to pass more of it, use', '        --retry-max-wait 60s'],
  ],
  // The terminal breaks what it has no room for.
  [
    '  set the price: ‹natter config set prices.origin "0.5/1.5 EUR" --profile work›; or else',
    ['  set the price:', '  natter config set prices.origin "0.5/1.5 EUR" --profile work; or else'],
  ],
])('a command in a message stays in one row: %j', (text, rows) => {
  expect(noticeRows(text, 40).split('\n')).toEqual(rows);
});

test('a pipe gets a message in one row, without the marks of commands', () => {
  const text = 'natter: run ‹natter auth login› first; ‹other› words stay';
  const shown = 'natter: run natter auth login first; ‹other› words stay';
  expect(noticeRows(text, undefined)).toBe(shown);
});
