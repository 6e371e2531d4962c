import { expect, test } from 'vitest';
import { buildChat } from '../../../src/commands/chat/command.ts';
import type { ChatOptions } from '../../../src/commands/chat/options.ts';
import { commandWords } from '../../../src/commands/program/command-table.ts';
import { parsePlainPrompt } from '../../../src/commands/program/plain-prompt.ts';
import { buildProgram } from '../../../src/commands/program/program.ts';
import { createMemoryContext } from '../../support/memory-context.ts';

test.each([
  ...commandWords.map((name) => [name]),
  ['--sandbox', 'models', 'list'],
  ['__complete', '='],
  ['hi', '--json'],
  ['chat', '-i'],
  ['-'],
  ['--', 'hi'],
  ['--', '--sandbox'],
])('%s is more than a plain prompt', (...words) => {
  expect(parsePlainPrompt(words)).toBe(undefined);
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
])('a plain prompt of %j is what the command tree makes of it', async (words) => {
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
