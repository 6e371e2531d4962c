import { describe, expect, test } from 'vitest';
import { completionTree } from '../../../scripts/package/completion-tree.ts';
import { commandNames } from '../../../src/commands/program/command-table.ts';
import { mayBeCommand } from '../../../src/commands/chat/start.ts';
import {
  suggestCommands,
  confirmMistakenCommand,
} from '../../../src/commands/chat/mistaken-command.ts';
import { buildProgram } from '../../../src/commands/program/program.ts';
import { createMemoryContext } from '../../support/memory-context.ts';

const terminals = ['stdin', 'stdout', 'stderr'] as const;
const commands = completionTree(await buildProgram(createMemoryContext().context, commandNames));

test.each([
  [['modles'], ['natter models']],
  [['conversatons'], ['natter conversations']],
  [['model', 'list'], ['natter models list']],
  [['modles', 'list'], ['natter models list']],
  [['modles', 'lsit'], ['natter models list']],
  [['model', 'get', 'nextgen'], ['natter models get nextgen']],
  [['completions', 'bash'], ['natter completion bash']],
  [['login'], ['natter auth login']],
  [['Login'], ['natter auth login']],
  [['list'], ['natter conversations list', 'natter models list', 'natter config list']],
  [['version'], ['natter --version']],
  [['update'], ['natter --version --verbose']],
  [['quit'], []],
])('Y10: %j may have been meant as %j', (words, expected) => {
  expect(suggestCommands(words, commands)).toEqual(expected);
});

test.each([
  [['tomorrow']],
  [['modles now']],
  [['model', 'list', 'of', 'cars']],
  [['model', 'trains']],
  [['write', 'list']],
  [['']],
  [[]],
])('%j looks like no command', (words) => {
  expect(suggestCommands(words, commands)).toBeUndefined();
});

test.each([
  [['modles'], {}, true],
  [['login'], {}, true],
  [['model', 'list'], {}, true],
  [['why', 'me?'], {}, false],
  [['why is the sky blue?'], {}, false],
  [['hi'], {}, false],
  [['model', 'list', 'of', 'all', 'cars'], {}, false],
  [['modles'], { isPrompt: true }, false],
  [['modles'], { dryRun: true }, false],
])('whether %j with %j is compared with the commands: %s', (words, options, expected) => {
  expect(mayBeCommand(words, options)).toBe(expected);
});

describe('on a terminal', () => {
  test.each(['y', 'Y', 'yes', ' YES '])('who answers %j sends the words', async (answer) => {
    const { context, questions, stderr } = createMemoryContext({
      terminals,
      answers: [answer],
      commands,
    });
    await confirmMistakenCommand(context, { input: true, quiet: true }, ['modles', 'list']);
    expect(stderr()).toBe('natter: "modles list" looks like the command natter models list\n');
    expect(questions).toEqual(['Send it as a prompt? [y/N] ']);
  });

  test.each(['', 'n', 'maybe'])('who answers %j does not', async (answer) => {
    const { context } = createMemoryContext({ terminals, answers: [answer], commands });
    await expect(confirmMistakenCommand(context, { input: true }, ['quit'])).rejects.toMatchObject({
      message: '"quit" was not sent',
      hint: 'to send it: natter -- quit',
    });
  });

  test('without input the word is refused unasked', async () => {
    const { context, questions } = createMemoryContext({ terminals, commands });
    const asking = confirmMistakenCommand(context, { input: false }, ['modles']);
    await expect(asking).rejects.toMatchObject({
      hint: 'did you mean natter models? to send it: natter -- modles',
    });
    expect(questions).toEqual([]);
  });
});

describe('Y10: in a script', () => {
  test.each([
    ['without terminals', []],
    ['where nobody sees a question', ['stdin', 'stdout'] as const],
    ['with a pipe', ['stdout', 'stderr'] as const],
  ])('%s there is one line on standard error', async (_name, open) => {
    const { context, questions, stderr } = createMemoryContext({ terminals: open, commands });
    await confirmMistakenCommand(context, { input: true }, ['login']);
    expect(questions).toEqual([]);
    expect(stderr()).toBe(
      'natter: "login" looks like the command natter auth login; sending it as a prompt\n',
    );
  });

  test('with --quiet there is none', async () => {
    const { context, stderr } = createMemoryContext({ commands });
    await confirmMistakenCommand(context, { input: true, quiet: true }, ['login']);
    expect(stderr()).toBe('');
  });
});
