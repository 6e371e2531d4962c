import { expect, test } from 'vitest';
import { commandWords, shellHint } from '../../src/settings/command-words.ts';

test.each([
  ['pass show natter', ['pass', 'show', 'natter']],
  ['  op   read op://Work/natter/key ', ['op', 'read', 'op://Work/natter/key']],
  [`op read "op://My vault/natter/key"`, ['op', 'read', 'op://My vault/natter/key']],
  [`sh -c 'pass show natter | head -n 1'`, ['sh', '-c', 'pass show natter | head -n 1']],
  [`a --label="two words"x`, ['a', '--label=two wordsx']],
  [`a '' ""`, ['a', '', '']],
  [String.raw`"C:\Program Files\op.exe" read`, [String.raw`C:\Program Files\op.exe`, 'read']],
  [String.raw`C:\bin\op.exe read`, [String.raw`C:\bin\op.exe`, 'read']],
  [String.raw`a "say \"hi\" \\ \n"`, ['a', String.raw`say "hi" \ \n`]],
  ['a $HOME `id` ; b | c > d', ['a', '$HOME', '`id`', ';', 'b', '|', 'c', '>', 'd']],
  ['["op", "read", "two words"]', ['op', 'read', 'two words']],
])('%s has the words %j', (text, words) => {
  expect(commandWords(text, 'the command', 'usage')).toEqual(words);
});

test.each([
  ['pass "show natter', 'has a quote without its end'],
  ["pass 'show natter", 'has a quote without its end'],
  ['""', 'names no program'],
  ['[]', 'names no program'],
  ['["op", 1]', 'is not a JSON array of texts'],
  ['["op"', 'is not a JSON array of texts'],
])('%s %s', (text, problem) => {
  expect(() => commandWords(text, 'the command', 'usage')).toThrow(`the command ${problem}`);
});

test.each([
  ['usage', 'config set api-key-command "pass show natter"'],
  ['configuration', 'it looks like pass show natter'],
] as const)('the hint of the kind %s has an example: %s', (kind, example) => {
  const hint = expect.stringContaining(example) as string;
  expect(() => commandWords('""', 'it', kind)).toThrow(expect.objectContaining({ hint }));
});

test.each([
  'pass show natter | head -n 1',
  'cat key > out',
  'cat key 2>/dev/null',
  'cat < key',
  'unlock && cat key',
  'unlock; cat key',
  'cat $HOME/key',
  'cat ~/key',
])('only a shell understands %s', (command) => {
  expect(shellHint(command)).toContain('no shell runs the command');
});

test.each([
  'pass show natter',
  `sh -c 'pass show natter | head -n 1'`,
  'op read "op://a/b | c"',
  '["sh", "-c", "a | b"]',
  'op read op://vault/item?a=1&b=2',
  `print "a \\" | b"`,
])('no shell is needed for %s', (command) => {
  expect(shellHint(command)).toBeUndefined();
});
