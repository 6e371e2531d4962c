import { expect, test } from 'vitest';
import { noticeRows } from '../../src/output/notices.ts';

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
  [
    '  ids: ‹natter conversations search seagulls› searches',
    ['  ids:', '  natter conversations search seagulls', '  searches'],
  ],
  [
    '  or install them: ‹npm install --global bullmq ioredis›',
    ['  or install them:', '  npm install --global bullmq ioredis'],
  ],
  // Only without the indent does it fit.
  [
    'natter: warning: set it with ‹natter config set window 8192› or less',
    ['natter: warning: set it with', 'natter config set window 8192 or less'],
  ],
  // The terminal breaks what it has no room for.
  [
    '  set the price: ‹natter config set prices.origin "0.5/1.5 EUR" --profile work›; or else',
    ['  set the price:', 'natter config set prices.origin "0.5/1.5 EUR" --profile work; or else'],
  ],
  [
    '  to send it: ‹natter -- why is the sky blue, and the grass green?›',
    ['  to send it:', 'natter -- why is the sky blue, and the grass green?'],
  ],
])('a command in a message stays in one row: %j', (text, rows) => {
  expect(noticeRows(text, 40).split('\n')).toEqual(rows);
});

test('a pipe gets a message in one row, without the marks of commands', () => {
  const text = 'natter: run ‹natter auth login› first; ‹other› words stay';
  const shown = 'natter: run natter auth login first; ‹other› words stay';
  expect(noticeRows(text, undefined)).toBe(shown);
});
