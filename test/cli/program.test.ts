import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Argument, Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram, runProgram } from '../../src/cli/program.ts';
import { folderOf } from '../support/folder.ts';
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

const program = buildProgram(createMemoryContext().context);

const allCommands = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(allCommands),
];
const commands = allCommands(program);

/** The options and arguments that take a value, with the name that a failed test shows. */
const values = commands.flatMap((command) => {
  const options = command.options.filter(({ required, optional }) => required || optional);
  const named: readonly (readonly [string, Option | Argument])[] = [
    ...options.map((option) => [option.flags, option] as const),
    ...command.registeredArguments.map((argument) => [argument.name(), argument] as const),
  ];
  return named.map(([name, value]) => ({ name: `${command.name()} ${name}`, value }));
});

const unique = [...new Map(values.map((row) => [row.name, row])).values()];

test.each(unique)('the help of $name names its choices and its default', ({ value }) => {
  for (const choice of value.argChoices ?? []) expect(value.description).toContain(choice);
  if (typeof value.defaultValue !== 'string') return;
  expect(value.description).toMatch(new RegExp(`default:? .*${value.defaultValue}`));
});

test('every option with a value and every argument has a description', () => {
  expect(unique.length).toBeGreaterThan(60);
  expect(unique.filter(({ value }) => value.description === '')).toEqual([]);
});

test('words of a fault option are in its help', () => {
  const sandbox = commands.find((command) => command.name() === 'sandbox');
  const help = (long: string) => sandbox?.options.find((one) => one.long === long)?.description;
  expect(help('--reply')).toMatch(/: default, help, echo,/);
  expect(help('--malformed-as')).toMatch(/^how to corrupt it: \w+/);
  expect(help('--delay')).toBe('wait before the headers (without a value: forever)');
});

const folder = folderOf();
const prompts = join(folder, 'prompts.txt');
writeFileSync(prompts, 'hi\n');

test.each([
  ['--sandbox', '--record', 'CON', 'hi'],
  ['batch', prompts, '--sandbox', '-o', 'aux.jsonl'],
  ['batch', 'merge', prompts, '-o', 'com1'],
])('Y24: on Windows, the name of a device is refused: natter %s %s %s %s', async (...words) => {
  const { context } = createMemoryContext();
  await expect(runProgram({ ...context, platform: 'win32' }, words)).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringMatching(/^\S+ is a device name on Windows$/) as string,
  });
});
