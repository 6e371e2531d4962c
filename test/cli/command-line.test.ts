import { expect, test } from 'vitest';
import {
  isNamedPrompt,
  misplacedCommand,
  routeToChat,
  wantsJson,
  flagValue,
  withExtractValues,
} from '../../src/cli/command-line.ts';

const names = new Set(['chat', 'models', 'config', 'help']);

test.each([
  [['hi', '--json'], true],
  [['--jsonl'], true],
  [['--', '--json'], false],
  [['hi', '--jsonx'], false],
  [[], false],
])('%j requests JSON: %s', (words, expected) => {
  expect(wantsJson(words)).toBe(expected);
});

test.each([
  [['--profile', 'one', 'hi', '--profile=two'], 'two'],
  [['--profile=one', '--profile', 'two'], 'two'],
  [['hi', '--profile'], undefined],
  [['--', '--profile', 'one'], undefined],
])('%j has the profile %s', (words, expected) => {
  expect(flagValue(words, '--profile')).toBe(expected);
});

test.each([
  [
    ['--', 'models'],
    ['chat', '--', 'models'],
  ],
  [
    ['-m', 'x', '--', 'models'],
    ['chat', '-m', 'x', '--', 'models'],
  ],
  [
    ['config', 'set', '--', 'a', 'b'],
    ['config', 'set', '--', 'a', 'b'],
  ],
  [
    ['chat', '--', 'x'],
    ['chat', '--', 'x'],
  ],
  [['models'], ['models']],
])('%j is parsed as %j', (words, routed) => {
  expect(routeToChat(words, names)).toEqual(routed);
});

test.each([
  [['-m', 'x', 'models', 'list'], ['models', 'list'], 'models'],
  [['-m', 'x', 'chat', 'hi'], ['chat', 'hi'], 'chat'],
  [['chat', 'models'], ['models'], undefined],
  [['-q', 'chat', 'chat'], ['chat'], undefined],
  [['-m', 'x', '--', 'models'], ['models'], undefined],
  [['-m', 'x', 'hi', 'models'], ['hi', 'models'], undefined],
  [['-m', 'x'], [], undefined],
])('the misplaced command of %j with the prompt %j is %s', (words, prompt, expected) => {
  expect(misplacedCommand(words, prompt, names)).toBe(expected);
});

test.each([
  [['--', 'modles'], ['modles'], true],
  [['chat', 'modles'], ['modles'], true],
  [['chat', 'chat'], ['chat'], true],
  [['modles'], ['modles'], false],
  [['-m', 'x', 'modles'], ['modles'], false],
])('%j marks %j as a prompt: %s', (words, prompt, expected) => {
  expect(isNamedPrompt(words, prompt)).toBe(expected);
});

test.each([
  ['-x list files', '-x=1 list files'],
  ['list files -x', 'list files -x=1'],
  ['--extract --json a', '--extract=1 --json a'],
  ['-qx a', '-qx=1 a'],
  ['-x 2 a', '-x 2 a'],
  ['-x last a', '-x last a'],
  ['-x -- 2', '-x=1 -- 2'],
  ['-- -x a', '-- -x a'],
  ['-x2 --extract=2 -mx a', '-x2 --extract=2 -mx a'],
])('%s is parsed as %s', (line, parsed) => {
  expect(withExtractValues(line.split(' '))).toEqual(parsed.split(' '));
});
