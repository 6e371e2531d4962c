import { expect, test } from 'vitest';
import { buildProgram, runProgram } from '../../src/cli/program.ts';
import { createMemoryContext } from '../support/memory-context.ts';

test('runs a command line against the sandbox', async () => {
  const { context, stdout, stderr } = createMemoryContext();
  await runProgram(context, ['models', 'list', '--sandbox']);
  expect(stdout()).toMatch(/^origin\t128000\t18\t/);
  expect(stderr()).toBe('');
});

test('every command has a summary, a description and examples', async () => {
  const { context } = createMemoryContext();
  const { commands } = buildProgram(context);
  for (const command of commands) {
    expect(command.summary()).not.toBe('');
    expect(command.description()).toMatch(/\.$/);
    expect(command.helpInformation()).toContain('Examples:');
  }
});
