import { expect, test } from 'vitest';
import { commandNames } from '../../../src/commands/program/command-table.ts';
import { buildProgram, runProgram } from '../../../src/commands/program/program.ts';
import { describeFailure } from '../../../src/commands/program/report.ts';
import { Failure } from '../../../src/failure.ts';
import { createMemoryContext } from '../../support/memory-context.ts';

test('a failure is a line and a hint, sanitized and masked', () => {
  const { context } = createMemoryContext({ environment: { NATTER_API_KEY: 'nk-secret-key' } });
  const failure = new Failure('not_found', 'no \u001B[31m nk-secret-key', {
    hint: 'look\nelsewhere',
  });
  expect(describeFailure(failure, context, [])).toEqual({
    text: 'natter: no  ***\n  look elsewhere\n',
    exitCode: 6,
  });
});

test('with --json a failure is one JSON line', () => {
  const { context } = createMemoryContext();
  const failure = new Failure('rate_limited', 'slow down', { status: 429, retryAfterSeconds: 3 });
  const { text, exitCode } = describeFailure(failure, context, ['hi', '--json']);
  expect(JSON.parse(text)).toEqual({
    error: { kind: 'rate_limited', status: 429, message: 'slow down', retry_after: 3 },
  });
  expect(exitCode).toBe(8);
});

test('P24 what is no failure of its own is told without a stack', () => {
  const { context } = createMemoryContext();
  const { text, exitCode } = describeFailure(new TypeError('x is not a function'), context, []);
  expect(text).toMatch(/^natter: unexpected error: x is not a function\n {2}run it again/);
  expect(text).not.toContain('at ');
  expect(exitCode).toBe(1);
});

test('with NATTER_DEBUG a failure brings the stacks of its causes', () => {
  const { context } = createMemoryContext({ environment: { NATTER_DEBUG: '1' } });
  const failure = new Failure('unexpected', 'outer', { cause: new Error('inner') });
  const { text } = describeFailure(failure, context, []);
  expect(text).toMatch(/Failure: outer\n.*at /);
  expect(text).toContain('Error: inner');
});

test('the sandbox answers a command line from beginning to end', async () => {
  const { context, stdout, stderr } = createMemoryContext();
  await runProgram(context, ['models', 'list', '--sandbox']);
  expect(stdout()).toMatch(/^origin\t128000\t18\t/);
  expect(stderr()).toBe('');
});

test('every command has a summary, a description and examples in its help', async () => {
  const { context } = createMemoryContext();
  const { commands } = await buildProgram(context, commandNames);
  for (const command of commands) {
    expect(command.summary()).not.toBe('');
    expect(command.description()).toMatch(/\.$/);
    expect(command.helpInformation()).toContain('Examples:');
  }
});

test('the help of the program is the same with and without the options of its commands', async () => {
  const { context } = createMemoryContext();
  const full = await buildProgram(context, commandNames);
  const light = await buildProgram(context, []);
  expect(light.helpInformation()).toBe(full.helpInformation());
  const words = (program: typeof full) =>
    program.commands.map((command) => [command.name(), ...command.aliases()]);
  expect(words(light)).toEqual(words(full));
});
