import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { serviceGroup } from '../../../src/cli/options.ts';
import { childNamed } from '../../../src/cli/help-details.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import { helpTopic } from '../../../src/commands/help/guides.ts';
import { topicNames } from '../../../src/commands/help/topic-names.ts';
import { exitCodes } from '../../../src/failure.ts';
import { keyBindings, keyLabel } from '../../../src/repl/composer/keys/key-bindings.ts';
import { definitions, settingKeys } from '../../../src/settings/definitions.ts';
import { environmentVariables } from '../../../src/settings/environment-variables.ts';
import { expectFailure, runInMemory } from '../../support/in-memory.ts';
import { createMemoryContext } from '../../support/memory-context.ts';

const tree = buildProgram(createMemoryContext().context);

/** The words that name a command or one of its subcommands, such as `models list`. */
function pathsOf(command: Command): readonly string[] {
  return [command.name(), ...command.aliases()].flatMap((word) => [
    word,
    ...command.commands.flatMap(pathsOf).map((path) => `${word} ${path}`),
  ]);
}

const commands = ['', ...tree.commands.flatMap(pathsOf)];

test('Y33: these tests run every command of the tree', () => {
  expect(commands).toEqual(expect.arrayContaining(['compare', 'sessions undelete', 'last']));
});

const wordsOf = (command: string) => (command === '' ? [] : command.split(' '));

/** The output of a command line that asks for help: plain text of at most 80 columns. */
async function helpOf(...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runInMemory(words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).not.toContain('\u001B');
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  return stdout;
}

test.each(commands)('natter %s --help has examples first, as natter help', async (command) => {
  const text = await helpOf(...wordsOf(command), '--help');
  expect(text).toMatch(/^Usage: natter/m);
  const examples = text.indexOf('\nExamples:\n  $ ');
  expect(examples).toBeGreaterThan(0);
  expect(examples).toBeLessThan(text.indexOf('options:\n'));
  expect(await helpOf('help', ...wordsOf(command))).toBe(text);
});

test.each(commands)('natter %s -h fits 24 rows with the prompt', async (command) => {
  const text = await helpOf(...wordsOf(command), '-h');
  expect(text.split('\n').length).toBeLessThanOrEqual(24);
  const name = command.replace(/^sessions/, 'conversations');
  expect(text).toContain(`More: natter ${name === '' ? '' : `${name} `}--help`);
});

describe('a narrow terminal', () => {
  const narrowTree = (columns: number) =>
    buildProgram(createMemoryContext({ terminals: ['stdout'], columns }).context);
  const find = (program: Command, path: string) =>
    wordsOf(path).reduce<Command>((above, word) => childNamed(above, word) ?? above, program);

  test.each([
    ...commands.map((path) => [path, (program: Command) => find(program, path).helpInformation()]),
    ...topicNames.map((name) => [name, (program: Command) => helpTopic(name, program) ?? '']),
  ] as [string, (program: Command) => string][])('natter %s --help breaks no word', (_, textOf) => {
    const narrow = textOf(narrowTree(40));
    expect(narrow.split(/\s+/)).toEqual(textOf(tree).split(/\s+/));
    const wide = narrow.split('\n').filter((row) => row.length > 40);
    // A command to copy, or one word after the marks of a term.
    expect(wide.filter((row) => !/^ *(?:\$ .*|(?:--\S+ )?\S+)$/.test(row))).toEqual([]);
  });

  test('has a description below its term', () => {
    expect(find(narrowTree(40), 'sandbox').helpInformation()).toContain(
      '\n  --log\n      print each request as a JSON line\n      on standard output',
    );
  });
});

test('natter -h has examples, every command, and where the rest is', async () => {
  const text = await helpOf('-h');
  const examples = text.split('\n\n')[1]?.split('\n') ?? [];
  expect(examples[0]).toMatch(/^ {2}natter +# open a conversation$/);
  expect(examples).toHaveLength(6);
  for (const option of [' -c ', ' -f ', ' -m ', ' --json ']) expect(text).toContain(option);
  const names = tree.commands.map((one) => one.name());
  for (const name of names.filter((one) => !['chat', 'help'].includes(one)))
    expect(text).toMatch(new RegExp(`^  (?:also: .*)?\\b${name}(?:[ ,]|$)`, 'm'));
  for (const topic of topicNames) expect(text).toContain(topic);
  expect(text).toContain('natter help <topic>');
});

test.each(['batch', 'compare', 'run', 'sandbox'])(
  'N14: natter %s -h has three examples and eight options',
  async (command) => {
    const text = await helpOf(command, '-h');
    expect(text.match(/^ {2}\$ /gm)).toHaveLength(3);
    expect(text.match(/^ {2}-\S.* {2}\S/gm)?.length).toBeGreaterThanOrEqual(8);
    expect(text).toMatch(/\nMore: natter \w+ --help \(\d+ more options\)/);
  },
);

test('the help of a command has its own options first, and refers to the service options', async () => {
  const text = await helpOf('models', 'list', '--help');
  const parts = ['\nOptions:\n  --json', '\nGeneral options:\n', '\nAlso: service options'];
  const places = parts.map((part) => text.indexOf(part));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places[0]).toBeGreaterThan(0);
  expect(text).not.toContain('--base-url');
  expect(await helpOf('completion', '--help')).not.toContain('service options');
  const merge = await helpOf('batch', 'merge', '--help');
  expect(merge).toContain('  -o, --output <file>  file to write');
  expect(merge).not.toMatch(/--(?:template|model|concurrency|unordered|base-url)/);
});

/** Options with other names set `save` and `secretGuard`, and those of `shell-init` its keys; the others have none. */
const withoutOption =
  /^(?:save|keep|titles|ledger|window|windowTitle|apiKeyCommand|secretGuard|thinkTags|shellCommands|shellKey|shellExplainKey|notify|notifyAfter|progress|compact|editing|continue|times|promptMarks)$/;

const flat = (text: string) => text.replaceAll(/\s+/g, ' ');

test('the help has every setting with an option, its default and its variable', async () => {
  const text = flat(await helpOf('--help'));
  for (const key of settingKeys.filter((name) => !withoutOption.test(name))) {
    const { name, variable } = definitions[key];
    expect(text).toContain(`--${name}`);
    expect(text).toContain(`[${variable}]`);
  }
  expect(text).toContain('0 to 100, default 4 [NATTER_RETRIES]');
  expect(text).toContain('default 10m [NATTER_FIRST_BYTE_TIMEOUT]');
});

const settings = settingKeys.flatMap((key) => {
  const { name, type, variable } = definitions[key];
  return [`${name} <${type.name}>`, `[${variable}]`];
});
const withDefault = 'save <true or false> keep conversations on disk, default true';
const service = tree.options.filter(({ helpGroupHeading }) => helpGroupHeading === serviceGroup);
const codes = { ...exitCodes, SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

test.each<[line: string, rows: readonly string[]]>([
  ['help service', service.map(({ long }) => String(long))],
  ['config set --help', [...settings, withDefault, 'params.<name> <JSON>']],
  ['help settings', [...settings, withDefault, 'A <duration> is 500ms,']],
  [
    'help keys',
    [
      ...keyBindings.map(({ keys, summary }) => `${keys.map(keyLabel).join(', ')} ${summary}`),
      'For API keys: natter auth --help.',
    ],
  ],
  ['help environment', [...environmentVariables.map(({ name }) => name), 'XDG_CACHE_HOME']],
  ['help exit-codes', Object.entries(codes).map(([kind, code]) => `${code} ${kind}`)],
])('Y25: natter %s has every row', async (line, rows) => {
  const text = flat(await helpOf(...line.split(' ')));
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) expect(text).toContain(` ${row} `);
});

test.each(topicNames)('natter help %s is a page, which natter help topics names', async (topic) => {
  expect((await helpOf('help', topic)).split('\n').length).toBeGreaterThan(10);
  expect(await helpOf('help', 'topics')).toMatch(new RegExp(`^  ${topic} {2,}\\w`, 'm'));
});

test.each(['auth', 'config'])('natter %s alone prints its help', async (command) => {
  expect(await helpOf(command)).toBe(await helpOf(command, '--help'));
});

test.each(['--version', '-V'])('natter %s prints only the version', async (flag) => {
  expect(await helpOf(flag)).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each([
  [['environmint'], 'there is no command or topic "environmint"\n  did you mean natter help env'],
  [['config', 'sett'], 'did you mean natter help config set?'],
  [['tpoics'], 'did you mean natter help topics?'],
  [['config', 'quite', 'other'], 'natter help lists the commands, natter help topics the topics'],
])('help on the unknown command %j suggests: %s', async (words, hint) => {
  expectFailure(await runInMemory(['help', ...words]), 2, hint);
});

test.each([
  ['keyboard', 'keys'],
  ['images', 'inputs'],
  ['roles', 'settings'],
  ['secrets', 'privacy'],
  ['aliases', 'profiles'],
  ['cost', 'budget'],
])('help on %s shows the topic that has the answer: %s', async (word, topic) => {
  expect(await helpOf('help', word)).toBe(await helpOf('help', topic));
});
