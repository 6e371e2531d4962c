import { expect, test } from 'vitest';
import {
  isNamedPrompt,
  refuseMisplacedCommand,
  routeToChat,
  wantsJson,
  flagValue,
  withExtractValues,
} from '../../src/cli/command-line.ts';

const names = new Set(['chat', 'models', 'config', 'help']);
const wordsOf = (line: string) => line.split(' ').filter((word) => word !== '');

test.each([
  ['hi --json', true],
  ['--jsonl', true],
  ['-- --json', false],
  ['hi --jsonx', false],
  ['', false],
])('%j requests JSON: %s', (line, expected) => {
  expect(wantsJson(wordsOf(line))).toBe(expected);
});

test.each([
  ['--profile one hi --profile=two', 'two'],
  ['--profile=one --profile two', 'two'],
  ['hi --profile', undefined],
  ['-- --profile one', undefined],
])('%j has the profile %s', (line, expected) => {
  expect(flagValue(wordsOf(line), '--profile')).toBe(expected);
});

test.each([
  ['-- models', 'chat -- models'],
  ['-m x -- models', 'chat -m x -- models'],
  ['config set -- a b', 'config set -- a b'],
  ['chat -- x', 'chat -- x'],
  ['models', 'models'],
])('%j is parsed as %j', (line, routed) => {
  expect(routeToChat(wordsOf(line), names)).toEqual(wordsOf(routed));
});

test.each([
  ['-m x models list', 'models list', 'models', false],
  ['-m x chat hi', 'chat hi', 'chat', false],
  ['chat models', 'models', undefined, true],
  ['-q chat chat', 'chat', undefined, true],
  ['-m x -- models', 'models', undefined, true],
  ['-m x hi models', 'hi models', undefined, false],
  ['-m x', '', undefined, false],
])('of %j with the prompt %j: %s, %s', (line, prompt, command, isMarked) => {
  const [words, own] = [wordsOf(line), wordsOf(prompt)];
  const refuse = () => {
    refuseMisplacedCommand(words, own, names);
    throw new Error('sent');
  };
  expect(refuse).toThrow(command === undefined ? /^sent$/ : `"${command}" is a command name`);
  expect(isNamedPrompt(words, own)).toBe(isMarked);
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
  expect(withExtractValues(wordsOf(line))).toEqual(wordsOf(parsed));
});
