import { describe, expect, test } from 'vitest';
import { buildChat } from '../../../src/commands/chat/command.ts';
import type { ChatOptions } from '../../../src/commands/chat/run.ts';
import {
  editDistance,
  isNamedPrompt,
  misplacedCommand,
  nearlyNamed,
  routeToChat,
  wantsJson,
} from '../../../src/commands/program/command-line.ts';
import { commandNames, parsePlainPrompt } from '../../../src/commands/program/command-table.ts';
import { buildProgram } from '../../../src/commands/program/program.ts';
import { createMemoryContext } from '../../support/memory-context.ts';
import { fc } from '../../support/properties.ts';

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

describe('editDistance', () => {
  test.each([
    ['models', 'models', 0],
    ['modles', 'models', 1],
    ['model', 'models', 1],
    ['modelss', 'models', 1],
    ['mudels', 'models', 1],
    ['', 'help', 4],
    ['config', 'help', 6],
  ])('between %s and %s is %d', (left, right, distance) => {
    expect(editDistance(left, right)).toBe(distance);
  });

  test('is symmetric and at most the length of the longer word', () => {
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
])('%j almost matches %s', (word, name) => {
  expect(nearlyNamed(word, names)).toBe(name);
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
  ...commandNames.map((name) => [name]),
  ['--sandbox', 'models', 'list'],
  ['__complete', '='],
  ['hi', '--json'],
  ['chat', '-i'],
  ['-'],
  ['--', 'hi'],
  ['--', '--sandbox'],
])('natter %s is not a plain prompt', (...words) => {
  expect(parsePlainPrompt(words)).toBeUndefined();
});

test.each([
  [[]],
  [['why is the sky blue?']],
  [['why', 'me?']],
  [['']],
  [['show', 'models']],
  [['chat']],
  [['chat', 'chat', 'models']],
  [['show', 'chat']],
  [['--sandbox']],
  [['--sandbox', 'hi', 'there']],
  [['hi', '--sandbox']],
  [['--sandbox', 'chat', 'models']],
  [['chat', 'models', '--sandbox']],
])('parses the plain prompt %j as commander does', async (words) => {
  const { context } = createMemoryContext();
  const program = await buildProgram(context, []);
  const ran: [readonly string[], ChatOptions][] = [];
  const chat = buildChat(context, async (_context, options, prompt) => {
    ran.push([prompt, options]);
  });
  Object.assign(program, { commands: [chat], _defaultCommandName: 'chat' });
  chat.parent = program;
  await program.parseAsync(words, { from: 'user' });
  const plain = parsePlainPrompt(words);
  expect(ran).toEqual([[plain?.words, plain?.options]]);
});
