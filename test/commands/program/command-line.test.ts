import { describe, expect, test } from 'vitest';
import {
  editDistance,
  isNamedPrompt,
  misplacedCommand,
  nearlyNamed,
  routeToChat,
  wantsJson,
} from '../../../src/commands/program/command-line.ts';
import { fc } from '../../support/properties.ts';

const names = new Set(['chat', 'models', 'config', 'help']);

test.each([
  [['hi', '--json'], true],
  [['--jsonl'], true],
  [['--', '--json'], false],
  [['hi', '--jsonx'], false],
  [[], false],
])('%j asks for JSON: %s', (words, expected) => {
  expect(wantsJson(words)).toBe(expected);
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
])('of %j, taken as the prompt %j, the misplaced command is %s', (words, prompt, expected) => {
  expect(misplacedCommand(words, prompt, names)).toBe(expected);
});

describe('editDistance', () => {
  test.each([
    ['models', 'models', 0],
    ['modles', 'models', 1],
    ['model', 'models', 1],
    ['modelss', 'models', 1],
    ['mudels', 'models', 1],
    ['', 'help', 4],
    ['config', 'help', 6],
  ])('from %s to %s is %d', (left, right, distance) => {
    expect(editDistance(left, right)).toBe(distance);
  });

  test('is symmetric, and at most the length of the longer word', () => {
    const word = fc.string({ maxLength: 8 });
    fc.assert(
      fc.property(word, word, (left, right) => {
        expect(editDistance(left, right)).toBe(editDistance(right, left));
        expect(editDistance(left, right)).toBeLessThanOrEqual(Math.max(left.length, right.length));
      }),
    );
  });
});

test.each([
  ['modles', 'models'],
  ['Models', 'models'],
  ['hlep', 'help'],
  ['hepl', 'help'],
  ['cat', 'chat'],
  ['hello', undefined],
  ['models', undefined],
  ['yellow', undefined],
  ['why', undefined],
  ['modles now', undefined],
])('%j is nearly the name %s', (word, name) => {
  expect(nearlyNamed(word, names)).toBe(name);
});

test.each([
  [['--', 'modles'], ['modles'], true],
  [['chat', 'modles'], ['modles'], true],
  [['chat', 'chat'], ['chat'], true],
  [['modles'], ['modles'], false],
  [['-m', 'x', 'modles'], ['modles'], false],
])('%j names %j as the prompt: %s', (words, prompt, expected) => {
  expect(isNamedPrompt(words, prompt)).toBe(expected);
});
