import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Argument, Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram, runProgram } from '../../src/cli/program.ts';
import { buildBatch } from '../../src/commands/batch/command.ts';
import { buildChat } from '../../src/commands/chat/command.ts';
import { buildCompare } from '../../src/commands/compare/command.ts';
import { buildRun } from '../../src/commands/run/command.ts';
import { buildSandbox } from '../../src/commands/sandbox/command.ts';
import { folderOf } from '../support/folder.ts';
import { createMemoryContext } from '../support/memory-context.ts';
import { parsedBy } from './parse-words.ts';

const program = buildProgram(createMemoryContext().context);

const allCommands = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(allCommands),
];
const commands = allCommands(program);

test('every command has a summary, a description and examples', () => {
  expect(commands.slice(1).filter((one) => !one.summary() || !one.description())).toEqual([]);
  for (const command of commands) {
    expect(command.helpInformation()).toMatch(/^Examples:\n  \$ \S/m);
  }
});

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

const defaults = { color: 'auto', input: true };
const sending = { ...defaults, stream: true, stdin: true };

// Options of these kinds: with and without a value, with =, repeatable, negated, and words after --.
test.each<[build: () => Command, line: string, ran: string, options: object]>([
  [buildChat, 'why is it', 'chat why is it', sending],
  [buildChat, '-m nextgen hi --timeout=5s', 'chat hi', { model: 'nextgen', timeout: '5s' }],
  [buildChat, 'hi -f a -f b --param a=1', 'chat hi', { file: ['a', 'b'], param: ['a=1'] }],
  [buildChat, 'hi --no-stream --no-input', 'chat hi', { stream: false, input: false }],
  [buildChat, '--base-url http://x - --json', 'chat -', { baseUrl: 'http://x', json: true }],
  [buildChat, '-- -m x', 'chat -m x', sending],
  [buildCompare, 'compare -m a,b --models c hi', 'compare hi', { models: ['a,b', 'c'] }],
  [buildSandbox, 'sandbox', 'sandbox', { ...defaults, host: '127.0.0.1', port: '0' }],
  [buildSandbox, 'sandbox --retry-after 1 --cut', 'sandbox', { retryAfter: '1', cut: true }],
  [buildSandbox, 'sandbox --cut rst --no-done', 'sandbox', { cut: 'rst', done: false }],
  [buildSandbox, 'sandbox --map origin=a --map b=c', 'sandbox', { map: ['origin=a', 'b=c'] }],
  [buildBatch, 'batch', 'batch', { ...defaults, concurrency: '4', seed: '0' }],
  [buildBatch, 'batch p -o out --shard 1/2', 'batch p', { output: 'out', shard: '1/2' }],
  [buildBatch, 'batch export p -t 5 --force', 'export p', { maxTokens: '5', force: true }],
  [buildBatch, 'batch import p a b -o c', 'import p a b', { output: 'c' }],
  [buildBatch, 'batch merge a b -o c', 'merge a b', { output: 'c' }],
  [buildRun, 'run review', 'run review', sending],
  [buildRun, 'run fix 1 --lang=ts -m a', 'run fix 1 --lang=ts', { model: 'a' }],
  [buildRun, 'run -m a fix - -c', 'run fix -', { model: 'a', continue: true }],
])('natter $1', async (build, line, ran, options) => {
  const [words, parsed] = await parsedBy(build(), line);
  expect(words).toBe(ran);
  expect(parsed).toMatchObject(options);
});
