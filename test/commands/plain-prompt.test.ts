import { expect, test } from 'vitest';
import { buildChat, type ChatOptions } from '../../src/commands/chat.ts';
import { commandWords } from '../../src/commands/command-table.ts';
import { isPlainPrompt, plainOptions } from '../../src/commands/plain-prompt.ts';
import { buildProgram } from '../../src/commands/program.ts';
import { createMemoryContext } from '../support/memory-context.ts';

test.each([
  ['nothing', []],
  ['a prompt', ['why is the sky blue?']],
  ['several words, one of them a command', ['show', 'models']],
  ['an empty word', ['']],
])('%s is a plain prompt', (_what, words) => {
  expect(isPlainPrompt(words)).toBe(true);
});

test.each([
  ...commandWords.map((name) => [name]),
  ['chat'],
  ['__complete', '='],
  ['hi', '--json'],
  ['-'],
  ['--', 'hi'],
])('%s is more than a plain prompt', (...words) => {
  expect(isPlainPrompt(words)).toBe(false);
});

test.each([[[]], [['why', 'me?']]])('parsing %j would give the same options', async (words) => {
  const { context } = createMemoryContext();
  const program = await buildProgram(context, []);
  const ran: [readonly string[], ChatOptions][] = [];
  const chat = buildChat(context, async (_context, prompt, options) => {
    ran.push([prompt, options]);
  });
  Object.assign(program, { commands: [chat], _defaultCommandName: 'chat' });
  chat.parent = program;
  await program.parseAsync(words, { from: 'user' });
  expect(ran).toEqual([[words, plainOptions]]);
});
