import { describe, expect, test } from 'vitest';
import { confirmMistakenCommand, mayBeCommand, suggestCommands } from '../../src/cli/guess.ts';
import type { ChatOptions } from '../../src/commands/chat/run.ts';
import { withCommands } from '../../src/failure.ts';
import { startRun } from '../../src/run.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { createMemoryContext } from '../support/memory-context.ts';

/** Options with their defaults. */
const given = { color: 'auto', stream: true, stdin: true, input: true } as const;

const terminals = ['stdin', 'stdout', 'stderr'] as const;
const program = buildProgram(createMemoryContext().context);

/** What is suggested for a line; `list` stands for what several groups have. */
const suggested = (line: string) =>
  suggestCommands(line === '' ? [] : line.split(' '), program)?.map((one) => withCommands(one));

test.each([
  ['modles', 'natter models'],
  ['model list', 'natter models list'],
  ['modles lsit', 'natter models list'],
  ['model get nextgen', 'natter models get nextgen'],
  ['login', 'natter auth login'],
  ['version', 'natter --version'],
  ['update', 'natter --version --verbose'],
  ['history', 'natter conversations list'],
  ['resume', 'natter --resume'],
  ['continue', 'natter -c'],
  ['ask', 'natter'],
  ['keys set openai', 'natter auth login'],
  ['logs list', 'natter conversations list'],
  ['role list', 'natter --role NAME'],
  ['templates show review', 'natter prompts list'],
  ['profile add work', 'natter config profiles'],
])('Y10: suggests for %j: %s', (line, expected) => {
  expect(suggested(line)).toEqual([expected]);
});

test('Y10: suggests each group that has the command, and nothing for what natter lacks', () => {
  expect(suggested('search')).toEqual(['natter conversations search', 'natter models search']);
  expect(suggested('quit')).toEqual([]);
  expect(suggested('aliases set fast')).toEqual([]);
});

test.each([
  'tomorrow',
  // N26: a word like chat is a prompt.
  'what',
  'fun',
  'model list of cars',
  'model trains',
  'search for a name',
  'set theory basics',
  'ask me anything',
  'list colours',
  'keys get stuck',
  'role models',
  'templates set the tone',
  'show kindness',
  '',
])('does not take %j for a command', (line) => {
  expect(suggested(line)).toBeUndefined();
});

describe('on a terminal', () => {
  /** Asks about a line with this answer. */
  async function confirm(line: string, answers: readonly string[], own: Partial<ChatOptions> = {}) {
    const memory = createMemoryContext({ terminals, answers });
    const options = { ...given, quiet: true, ...own };
    const words = line.split(' ');
    const run = await startRun(memory.context, options);
    const failure: unknown = await confirmMistakenCommand(run, program, words).catch(
      (error: unknown) => error,
    );
    return { failure, questions: memory.questions, stderr: memory.stderr() };
  }

  test.each(['y', 'Y', 'yes', ' YES '])('N16: sends it after the answer %j', async (answer) => {
    expect(await confirm('modles list', [answer])).toEqual({
      failure: undefined,
      questions: ['Send it as a prompt? [y/N] '],
      stderr: 'natter: warning: "modles list" looks like the command natter models list\n',
    });
  });

  test.each(['', 'n', 'maybe'])('does not send the prompt after the answer %j', async (answer) => {
    expect((await confirm('quit', [answer])).failure).toMatchObject({
      message: '"quit" was not sent',
      hint: 'to send it: natter -- quit',
    });
  });

  test('leaves text out of the question, which may be long', async () => {
    const { stderr } = await confirm('model get $x', ['y']);
    expect(stderr).toContain('"model get …" looks like the command natter models get …\n');
  });

  test('refuses the prompt without a question if there is --no-input', async () => {
    const { failure, questions } = await confirm('modles', [], { input: false });
    const hint = 'did you mean natter models? to send it: natter -- modles';
    expect(failure).toMatchObject({ hint });
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
    await confirmMistakenCommand(await startRun(context, given), program, ['login']);
    expect(questions).toEqual([]);
    expect(stderr()).toContain('looks like the command natter auth login; sending it as a prompt');
  });

  test('prints no notice with --quiet', async () => {
    const { context, stderr } = createMemoryContext();
    const run = await startRun(context, { ...given, quiet: true });
    await confirmMistakenCommand(run, program, ['login']);
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
