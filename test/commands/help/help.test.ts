import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { serviceGroup } from '../../../src/cli/global-options.ts';
import { childNamed } from '../../../src/cli/help-details.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import { helpTopic } from '../../../src/commands/help/topics.ts';
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

/** The words of a command without aliases. */
const nameOf = (command: string) => command.replace(/^sessions/, 'conversations');

const wordsOf = (command: string) => (command === '' ? [] : command.split(' '));

test.each(commands)(
  'natter %s --help is plain text of 80 columns, with examples first',
  async (command) => {
    const { code, stdout, stderr } = await runInMemory([...wordsOf(command), '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('\u001B');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).toMatch(/^Usage: natter/m);
    const examples = stdout.indexOf('\nExamples:\n  $ ');
    expect(examples).toBeGreaterThan(0);
    expect(examples).toBeLessThan(stdout.indexOf('options:\n'));
  },
);

test.each(commands)(
  'natter %s -h fits 24 rows with the prompt, and 80 columns',
  async (command) => {
    const { code, stdout, stderr } = await runInMemory([...wordsOf(command), '-h']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').length).toBeLessThanOrEqual(24);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).toContain(`More: natter ${command === '' ? '' : `${nameOf(command)} `}--help`);
  },
);

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
  const { stdout } = await runInMemory(['-h']);
  const examples = stdout.split('\n\n')[1]?.split('\n') ?? [];
  expect(examples[0]).toMatch(/^ {2}natter +open a conversation$/);
  expect(examples).toHaveLength(6);
  for (const option of [' -c ', ' -f ', ' -m ', ' --json ']) expect(stdout).toContain(option);
  const names = tree.commands.map((one) => one.name());
  for (const name of names.filter((one) => !['chat', 'help'].includes(one)))
    expect(stdout).toMatch(new RegExp(`^  (?:also: .*)?\\b${name}(?:[ ,]|$)`, 'm'));
  for (const topic of topicNames) expect(stdout).toContain(topic);
  expect(stdout).toContain('natter help <topic>');
});

test.each(['batch', 'compare', 'run', 'sandbox'])(
  'N14: natter %s -h has three examples and eight options or more, each with its words',
  async (command) => {
    const { stdout } = await runInMemory([command, '-h']);
    expect(stdout.match(/^ {2}\$ /gm)).toHaveLength(3);
    expect(stdout.match(/^ {2}-\S.* {2}\S/gm)?.length).toBeGreaterThanOrEqual(8);
  },
);

test('N14: natter compare -h says what its options mean, and how many more there are', async () => {
  const { stdout } = await runInMemory(['compare', '-h']);
  expect(stdout).toContain('\n  --diff               show a word diff against the first answer\n');
  expect(stdout).toMatch(/\nMore: natter compare --help \(\d+ more options\)/);
});

test('the help of a command has its own options first, and refers to the service options', async () => {
  const { stdout } = await runInMemory(['models', 'list', '--help']);
  const parts = ['\nOptions:\n  --json', '\nGeneral options:\n', '\nAlso: service options'];
  const places = parts.map((part) => stdout.indexOf(part));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places[0]).toBeGreaterThan(0);
  expect(stdout).not.toContain('--base-url');
  const { stdout: apart } = await runInMemory(['completion', '--help']);
  expect(apart).not.toContain('service options');
});

test('natter help service lists the service options', async () => {
  const { stdout } = await runInMemory(['help', 'service']);
  const service = tree.options.filter(({ helpGroupHeading }) => helpGroupHeading === serviceGroup);
  expect(service.length).toBeGreaterThan(10);
  for (const { long } of service) expect(stdout).toMatch(new RegExp(`^  ${long}( |$)`, 'm'));
});

test('natter batch merge --help omits the options for prompts', async () => {
  const { stdout } = await runInMemory(['batch', 'merge', '--help']);
  expect(stdout).toContain('  -o, --output <file>  file to write');
  expect(stdout).not.toMatch(/--(?:template|model|concurrency|unordered|base-url)/);
});

test.each(commands)('natter help %s is the same as its --help', async (command) => {
  const words = wordsOf(command);
  const [helped, flagged] = await Promise.all([
    runInMemory(['help', ...words]),
    runInMemory([...words, '--help']),
  ]);
  expect(helped.stdout).toBe(flagged.stdout);
});

/** Options with other names set `save` and `secretGuard`, and those of `shell-init` its keys; the others have none. */
const withoutOption =
  /^(?:save|keep|titles|ledger|window|windowTitle|apiKeyCommand|secretGuard|thinkTags|shellCommands|shellKey|shellExplainKey|notify|notifyAfter|progress|compact|editing|continue|times|promptMarks)$/;

test('the help has every setting with an option, its default and its variable', async () => {
  const text = (await runInMemory(['--help'])).stdout.replaceAll(/\s+/g, ' ');
  for (const key of settingKeys.filter((name) => !withoutOption.test(name))) {
    const { name, variable } = definitions[key];
    expect(text).toContain(`--${name}`);
    expect(text).toContain(`[${variable}]`);
  }
  expect(text).toContain('0 to 100, default 4 [NATTER_RETRIES]');
  expect(text).toContain('default 10m [NATTER_FIRST_BYTE_TIMEOUT]');
});

test('Y25: natter config set --help lists the settings', async () => {
  const text = (await runInMemory(['config', 'set', '--help'])).stdout.replaceAll(/\s+/g, ' ');
  for (const key of settingKeys) {
    const { name, type } = definitions[key];
    expect(text).toContain(` ${name} <${type.name}> `);
  }
  expect(text).toContain('params.<name> <JSON>');
});

test('natter help settings lists the settings with values, defaults and variables', async () => {
  const text = (await runInMemory(['help', 'settings'])).stdout.replaceAll(/\s+/g, ' ');
  for (const key of settingKeys) {
    const { name, type, variable } = definitions[key];
    expect(text).toContain(` ${name} <${type.name}> `);
    expect(text).toContain(`[${variable}]`);
  }
  expect(text).toContain('save <true or false> keep conversations on disk, default true');
  expect(text).toContain('A <duration> is 500ms, 30s, 10m or 1h');
});

test('natter help keys has every key of a conversation', async () => {
  const text = (await runInMemory(['help', 'keys'])).stdout.replaceAll(/\s+/g, ' ');
  for (const { keys, summary } of keyBindings) {
    expect(text).toContain(`${keys.map(keyLabel).join(', ')} ${summary}`);
  }
});

test('Y25: natter conversations export --help names the formats', async () => {
  const { stdout } = await runInMemory(['conversations', 'export', '--help']);
  expect(stdout).toMatch(/--format <format> +markdown, json or html/);
});

test('Y25: natter help environment has the editor and the cache, but no logs', async () => {
  const { stdout } = await runInMemory(['help', 'environment']);
  for (const name of ['VISUAL', 'EDITOR', 'XDG_CACHE_HOME'])
    expect(stdout).toContain(`\n  ${name}\n`);
  expect(stdout).not.toContain('logs');
});

test('natter help environment names every variable within 80 columns', async () => {
  const { code, stdout } = await runInMemory(['help', 'environment']);
  expect(code).toBe(0);
  for (const { name } of environmentVariables) expect(stdout).toContain(`\n  ${name}\n`);
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test('natter help exit-codes names every exit code', async () => {
  const { stdout } = await runInMemory(['help', 'exit-codes']);
  for (const [kind, code] of Object.entries(exitCodes)) {
    expect(stdout).toMatch(new RegExp(`^ +${code}  ${kind} `, 'm'));
  }
  for (const code of [129, 130, 143]) expect(stdout).toMatch(new RegExp(`^ +${code}  SIG`, 'm'));
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test.each(topicNames)('natter help %s is plain text of 80 columns', async (topic) => {
  const { code, stdout, stderr } = await runInMemory(['help', topic]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.split('\n').length).toBeGreaterThan(10);
  expect(stdout).not.toContain('\u001B');
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test.each(['auth', 'config'])('natter %s alone prints its help', async (command) => {
  const [alone, help] = await Promise.all([
    runInMemory([command]),
    runInMemory([command, '--help']),
  ]);
  expect(alone).toMatchObject({ code: 0, stderr: '', stdout: help.stdout });
});

test.each(['--version', '-V'])('natter %s prints only the version', async (flag) => {
  const { code, stdout, stderr } = await runInMemory([flag]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('natter help keyboard is natter help keys', async () => {
  const pages = ['keyboard', 'keys'].map((word) => runInMemory(['help', word]));
  const [alias, page] = await Promise.all(pages);
  expect(alias?.stdout).toBe(page?.stdout);
  expect(alias?.code).toBe(0);
});

test('natter help keys points to the help on API keys', async () => {
  const { stdout } = await runInMemory(['help', 'keys']);
  expect(stdout).toContain('For API keys: natter auth --help.');
});

test('an unknown topic is a usage error with a suggestion', async () => {
  const { code, stdout, stderr } = await runInMemory(['help', 'environmint']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('there is no command or topic "environmint"');
  expect(stderr).toContain('did you mean natter help environment?');
});

test('natter help topics lists the topics with their summaries, within 80 columns', async () => {
  const { code, stdout, stderr } = await runInMemory(['help', 'topics']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const topic of topicNames) expect(stdout).toMatch(new RegExp(`^  ${topic} {2,}\\w`, 'm'));
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test.each([
  [['config', 'sett'], 'did you mean natter help config set?'],
  [['tpoics'], 'did you mean natter help topics?'],
  [['config', 'quite', 'other'], 'natter help lists the commands, natter help topics the topics'],
  [['nonsense'], 'natter help lists the commands, natter help topics the topics'],
])('help on the unknown command %j suggests: %s', async (words, hint) => {
  expectFailure(await runInMemory(['help', ...words]), 2, hint);
});

test.each(['images', 'image', 'attachments'])(
  'natter help %s is natter help inputs',
  async (word) => {
    const { code, stdout } = await runInMemory(['help', word]);
    expect(code).toBe(0);
    expect(stdout).toContain('Images and\nother files that are not text are refused.');
  },
);

test.each([
  ['roles', 'roles/NAME.md'],
  ['aliases', 'natter config profiles'],
  ['cost', 'budget'],
])('help on %s shows the topic that has the answer', async (word, text) => {
  const { code, stdout } = await runInMemory(['help', word]);
  expect(code).toBe(0);
  expect(stdout).toContain(text);
});
