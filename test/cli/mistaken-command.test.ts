import { describe, expect, test } from 'vitest';
import { confirmMistakenCommand, mayBeCommand, suggestCommands } from '../../src/cli/guess.ts';
import type { ChatOptions } from '../../src/commands/chat/chat-run.ts';
import { withCommands } from '../../src/failure.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { createMemoryContext } from '../support/memory-context.ts';

/** Options with their defaults. */
const given = { color: 'auto', stream: true, stdin: true, input: true } as const;

const terminals = ['stdin', 'stdout', 'stderr'] as const;
const program = buildProgram(createMemoryContext().context);

test.each([
  [['modles'], ['natter models']],
  [['model', 'list'], ['natter models list']],
  [['modles', 'list'], ['natter models list']],
  [['modles', 'lsit'], ['natter models list']],
  [['model', 'get', 'nextgen'], ['natter models get nextgen']],
  [['completions', 'bash'], ['natter completion bash']],
  [['login'], ['natter auth login']],
  [
    ['list'],
    [
      'natter prompts list',
      'natter conversations list',
      'natter models list',
      'natter config list',
    ],
  ],
  [['version'], ['natter --version']],
  [['update'], ['natter --version --verbose']],
  [['quit'], []],
  [['history'], ['natter conversations list']],
  [['resume'], ['natter --resume']],
  [['continue'], ['natter -c']],
  [['ask'], ['natter']],
  [['search'], ['natter conversations search', 'natter models search']],
  [['set', 'model', 'nextgen'], ['natter config set model nextgen']],
  [['set', 'system', 'Be brief.'], ['natter config set system …']],
  [['set', 'api-key', 'k'], ['natter auth login']],
  [['get', 'model'], ['natter config get model']],
  [['keys', 'set', 'openai'], ['natter auth login']],
  [['logs', 'list'], ['natter conversations list']],
  [['role', 'list'], ['natter --role NAME']],
  [['templates', 'show', 'review'], ['natter prompts list']],
  [['aliases', 'set', 'fast'], []],
  [['profile', 'add', 'work'], ['natter config profiles']],
])('Y10: suggests for %j: %j', (words, expected) => {
  const suggested = suggestCommands(words, program);
  expect(suggested?.map((command) => withCommands(command))).toEqual(expected);
});

test.each([
  [['tomorrow']],
  // N26: a word like chat is a prompt.
  [['what']],
  [['fun']],
  [['modles now']],
  [['model', 'list', 'of', 'cars']],
  [['model', 'trains']],
  [['search', 'for', 'a', 'name']],
  [['set', 'theory', 'basics']],
  [['set', 'model']],
  [['set', 'model', 'trains', 'up']],
  [['get', 'well soon']],
  [['ask', 'me', 'anything']],
  [['list', 'colours']],
  [['keys', 'get', 'stuck']],
  [['role', 'models']],
  [['templates', 'set', 'the', 'tone']],
  [['pull', 'requests']],
  [['show', 'kindness']],
  [['compose', 'a', 'poem']],
  [['match', 'words']],
  [['']],
  [[]],
])('does not take %j for a command', (words) => {
  expect(suggestCommands(words, program)).toBeUndefined();
});

describe('on a terminal', () => {
  test.each(['y', 'Y', 'yes', ' YES '])(
    'N16: sends the prompt after the answer %j',
    async (answer) => {
      const { context, questions, stderr } = createMemoryContext({
        terminals,
        answers: [answer],
      });
      await confirmMistakenCommand(context, program, { ...given, input: true, quiet: true }, [
        'modles',
        'list',
      ]);
      expect(stderr()).toBe('natter: "modles list" looks like the command natter models list\n');
      expect(questions).toEqual(['Send it as a prompt? [y/N] ']);
    },
  );

  test.each(['', 'n', 'maybe'])('does not send the prompt after the answer %j', async (answer) => {
    const { context } = createMemoryContext({ terminals, answers: [answer] });
    await expect(
      confirmMistakenCommand(context, program, { ...given, input: true }, ['quit']),
    ).rejects.toMatchObject({
      message: '"quit" was not sent',
      hint: 'to send it: natter -- quit',
    });
  });

  test('leaves text out of the question, which may be long', async () => {
    const { context, stderr } = createMemoryContext({ terminals, answers: ['y'] });
    const words = ['set', 'system', 'Answer like a pirate.'];
    await confirmMistakenCommand(context, program, { ...given, input: true }, words);
    expect(stderr()).toBe(
      'natter: "set system …" looks like the command natter config set system …\n',
    );
  });

  test('refuses the prompt without a question if there is --no-input', async () => {
    const { context, questions } = createMemoryContext({ terminals });
    const confirmation = confirmMistakenCommand(context, program, { ...given, input: false }, [
      'modles',
    ]);
    await expect(confirmation).rejects.toMatchObject({
      hint: 'did you mean natter models? to send it: natter -- modles',
    });
    expect(questions).toEqual([]);
  });
});

describe('Y10: in a script', () => {
  test.each([
    ['no terminals', []],
    ['standard error that is not a terminal', ['stdin', 'stdout'] as const],
    ['a pipe as input', ['stdout', 'stderr'] as const],
  ])('prints one notice with %s', async (_name, open) => {
    const { context, questions, stderr } = createMemoryContext({ terminals: open });
    await confirmMistakenCommand(context, program, { ...given, input: true }, ['login']);
    expect(questions).toEqual([]);
    expect(stderr()).toBe(
      'natter: "login" looks like the command natter auth login; sending it as a prompt\n',
    );
  });

  test('prints no notice with --quiet', async () => {
    const { context, stderr } = createMemoryContext();
    await confirmMistakenCommand(context, program, { ...given, input: true, quiet: true }, [
      'login',
    ]);
    expect(stderr()).toBe('');
  });
});

test.each<[readonly string[], Partial<ChatOptions>, boolean]>([
  [['login'], {}, true],
  [['model', 'list'], {}, true],
  [['set', 'model', 'nextgen'], {}, true],
  [['continue'], { continue: true }, false],
  [['history'], { resume: 'latest' }, false],
  [['why is the sky blue?'], {}, false],
  [['model', 'list', 'of', 'all', 'cars'], {}, false],
  [['modles'], { isPrompt: true }, false],
  [['modles'], { dryRun: true }, false],
])('the prompt %j with %j may be a command: %s', (words, options, expected) => {
  expect(mayBeCommand(words, { ...given, ...options })).toBe(expected);
});
