import { expect, test } from 'vitest';
import { shellWordIn } from '../../src/settings/command-words.ts';

test.each([
  ['pass show natter | head -n 1', '|'],
  ['cat key > out', '>'],
  ['cat key 2>/dev/null', '2>/dev/null'],
  ['cat < key', '<'],
  ['unlock && cat key', '&&'],
  ['unlock; cat key', 'unlock;'],
  ['cat $HOME/key', '$HOME/key'],
  ['cat ~/key', '~/key'],
])('only a shell interprets a word of %s', (command, word) => {
  expect(shellWordIn(command)).toBe(word);
});

test.each([
  'pass show natter',
  `sh -c 'pass show natter | head -n 1'`,
  'op read "op://a/b | c"',
  '["sh", "-c", "a | b"]',
  'op read op://vault/item?a=1&b=2',
  `print "a \\" | b"`,
])('no shell is needed for %s', (command) => {
  expect(shellWordIn(command)).toBeUndefined();
});
