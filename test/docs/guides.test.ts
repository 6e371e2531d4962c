import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { childNamed, helpOf } from '../../src/cli/help-details.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { guides as topics } from '../../src/commands/help/guides.ts';
import { openExampleShell } from '../support/example-shell.ts';
import {
  blocksOf,
  expectedCode,
  guideBlocks,
  isScript,
  needsQueue,
  shellLines,
  type GuideBlock,
} from '../support/guide-blocks.ts';
import { createMemoryContext } from '../support/memory-context.ts';

const blocks = guideBlocks();
const placeOf = ({ guide, line }: GuideBlock) => `docs/${guide}:${line}`;

const shell = await openExampleShell();

function isRun(block: GuideBlock): boolean {
  return isScript(block) || (block.language === 'sh' && block.testedBy === undefined);
}

test('every code block is run, or names the test that covers it or what it needs', () => {
  const unmarked = blocks.filter(
    (block) => !isRun(block) && block.testedBy === undefined && block.notRun === undefined,
  );
  expect(unmarked.map(placeOf)).toEqual([]);
  expect(blocks.length).toBeGreaterThan(50);
});

test('a test that covers a code block reads its guide', () => {
  const covered = blocks.filter(({ testedBy }) => testedBy !== undefined);
  const wrong = covered.filter(
    ({ guide, testedBy = '' }) =>
      !existsSync(testedBy) || !readFileSync(testedBy, 'utf8').includes(guide),
  );
  expect(wrong.map(placeOf)).toEqual([]);
});

test('the reason for a block that is not run names what it needs', () => {
  const wrong = blocks.filter(({ notRun = 'needs ' }) => !notRun.startsWith('needs '));
  expect(wrong.map(placeOf)).toEqual([]);
});

/**
 * `…` in an output is any text of a line; alone on a line, any lines. Only a terminal gets a line break after an
 * answer.
 */
function outputPattern(output: string): RegExp {
  const lines = output.split('\n').map((line) => {
    const parts = line.split('…').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
    return line === '…' ? '[^]*?' : parts.join('.*');
  });
  return new RegExp(`^${lines.join('\n')}$`.replace(/\n\$$/, '\n?$'));
}

const scripts = blocks.filter(isScript).map((block) => ({ place: placeOf(block), ...block }));

/** An output is that of a machine without settings in its environment, with notices and failures. */
const asOnFreshMachine = (text: string) =>
  `exec 2>&1\nunset NATTER_BASE_URL NATTER_API_KEY NATTER_UPSTREAM_API_KEY\n${text}`;

test.each(scripts)('$place runs', async ({ text, output }) => {
  const { code, stdout, stderr } = await shell.run(
    output === undefined ? text : asOnFreshMachine(text),
  );
  expect({ code, stdout, stderr }).toMatchObject({ code: expectedCode(text) });
  expect(stdout + stderr).not.toContain('not found\n');
  expect(stdout).toMatch(output === undefined ? '' : outputPattern(output));
});

test('a marked block is not run', () => {
  const guide = '```sh not run: needs Docker\ndocker run\n```\n\n```sh\nls\n```\n';
  expect(shellLines(guide)).toEqual(['ls']);
  expect(blocksOf('a.md', guide)).toMatchObject([{ line: 1, notRun: 'needs Docker' }, { line: 5 }]);
});

test('a text block after commands is their output', () => {
  const guide = '```sh\necho a\n```\n\n```text\na\n```\n\nText.\n\n```text\nb\n```\n';
  expect(blocksOf('', guide)).toMatchObject([{ text: 'echo a\n', output: 'a\n' }, { text: 'b\n' }]);
});

test.each([
  ['took … s\n', 'took 1.5 s\n', true],
  ['took … s\n', 'took 1.5 ms\n', false],
  ['a\n…\nd\n', 'a\nb\nc\nd\n', true],
  ['a (b)\n', 'a (b)\n', true],
])('the output %j for %j: %s', (shown, printed, matches) => {
  expect(outputPattern(shown).test(printed)).toBe(matches);
});

/** It also has requests of other programs, which test/sandbox/faults/parse-fault.test.ts sends. */
const sandboxGuide = 'sandbox.md';

const isOfNatter = (line: string) => line.startsWith('natter ');

const guides = readdirSync('docs')
  .filter((name) => name.endsWith('.md'))
  .map((name) => {
    const lines = shellLines(readFileSync(`docs/${name}`, 'utf8'));
    return { name, lines: name === sandboxGuide ? lines.filter(isOfNatter) : lines };
  })
  .filter(({ lines }) => lines.length > 0);

const program = buildProgram(createMemoryContext().context, []);

/** The first one opens a conversation, which test/docs/readme.test.ts does. */
const programLines = helpOf(program).examples.slice(1);

const batch = childNamed(program, 'batch') ?? program;
const batchLines = [batch, ...batch.commands]
  .flatMap((command) => helpOf(command).examples)
  .filter((line) => !needsQueue(line));

/** The guides about the program itself. */
const topicLines = (['piping', 'privacy', 'profiles', 'troubleshooting', 'uninstall'] as const)
  .flatMap((name) => topics[name].split('\n'))
  .flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []));

const texts = [
  { name: 'natter -h', lines: programLines },
  { name: 'natter help <topic>', lines: topicLines },
  { name: 'natter batch --help', lines: batchLines },
  ...guides,
];

describe.each(texts)('$name', ({ lines }) => {
  test.each(lines)('%s', async (line) => {
    const { code, stdout, stderr } = await shell.run(line);
    expect({ code, stderr }).toMatchObject({ code: expectedCode(line) });
    expect(stderr).not.toContain('not found');
    expect(stdout + stderr + (/[>]|^rm |^sed -i/.test(line) ? 'written' : '')).not.toBe('');
  });
});

const otherTools = readFileSync('docs/from-other-tools.md', 'utf8');

/** The commands in the column of natter, but not the one that opens a conversation. */
const commands = otherTools
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split(/(?<!\\)\|/)[2] ?? '')
  .flatMap((cell) => [...cell.matchAll(/`(?<command>[^`]+)`/g)])
  .map(({ groups }) => (groups?.['command'] ?? '').replaceAll(String.raw`\|`, '|'))
  .filter((command) => /\bnatter /.test(command));

/** Commands that need the one before them in the same cell. */
const preparation = new Map([
  ['natter --profile reviewer "hello"', 'natter config set system "Be brief." --profile reviewer'],
  ['natter --resume work "hello"', 'natter conversations rename latest work'],
]);

test.each([...new Set(commands)])('%s', async (command) => {
  const before = preparation.get(command);
  // The contract has no temperature, so the sandbox refuses it. It writes code only if it is asked to.
  const sent = command
    .replace('-x "…"', '-x "[sandbox code]"')
    .replace('--param temperature=0', '--param temperature=0 --dry-run')
    .replace(/\bID\b/, 'latest');
  const line = before === undefined ? sent : `${before}; ${sent}`;
  const { code, stdout, stderr } = await shell.run(line);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout + stderr).not.toBe('');
});

test('each tool has a table', () => {
  expect(otherTools.match(/^## .*/gm)).toEqual([
    '## curl',
    '## llm',
    '## aichat',
    '## mods',
    '## claude -p',
  ]);
  expect(commands.length).toBeGreaterThan(30);
});

/** The commands of natter in the blocks for PowerShell, as natter gets their words. */
const windowsCommands = blocksOf('install.md', readFileSync('docs/install.md', 'utf8'))
  .filter(({ language }) => language === 'powershell')
  .flatMap(({ text }) => [...text.matchAll(/(?:^|\| )(?<command>natter [^|\n]*)/gm)])
  .map(({ groups }) => (groups?.['command'] ?? '').replaceAll(String.raw`\"`, '"').trim());

test.each(windowsCommands)('the words of %s are valid', async (command) => {
  const { code, stdout, stderr } = await shell.run(`cat notes.md | ${command}`);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).not.toBe('');
});

test('the guide has commands of natter', () => {
  expect(windowsCommands).toHaveLength(6);
});
