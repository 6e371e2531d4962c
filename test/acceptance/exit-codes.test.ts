import { beforeAll, describe, expect, test } from 'vitest';
import type { Command } from 'commander';
import { buildProgram } from '../../src/cli/program.ts';
import { type FailureKind, exitCodes } from '../../src/failure.ts';
import { type DataFolder, createDataFolder } from '../support/data-folder.ts';
import { runInMemory } from '../support/in-memory.ts';
import { createMemoryContext } from '../support/memory-context.ts';

interface Row {
  readonly kind: FailureKind;
  readonly code: number;
  readonly words: readonly string[];
  readonly message: RegExp;
}

const fault = (group: string) => ['--sandbox', '--retries', '0', `[sandbox ${group}]`];

const rows: readonly Row[] = [
  { kind: 'usage', code: 2, words: ['--sandbox', '--bogus', 'hi'], message: /unknown option/ },
  { kind: 'configuration', code: 3, words: ['hi'], message: /no service is configured/ },
  {
    kind: 'unauthorized',
    code: 4,
    words: fault('401'),
    message: /requires a valid API key \(401\)/,
  },
  { kind: 'forbidden', code: 5, words: fault('403'), message: /is not allowed to do this \(403\)/ },
  { kind: 'not_found', code: 6, words: fault('404'), message: /does not know .* \(404\)/ },
  {
    kind: 'not_found',
    code: 6,
    words: ['--sandbox', '-m', 'nobody', 'hi'],
    message: /\(404\).*nobody/,
  },
  { kind: 'invalid_request', code: 7, words: fault('400'), message: /as invalid \(400\)/ },
  { kind: 'rate_limited', code: 8, words: fault('429'), message: /rate limited .* \(429\)/ },
  { kind: 'server_error', code: 9, words: fault('500'), message: /the service failed \(500\)/ },
  { kind: 'server_error', code: 9, words: fault('503 shape=html'), message: /failed \(503\)/ },
  {
    kind: 'unreachable',
    code: 10,
    words: ['--base-url', 'http://127.0.0.1:1', 'hi'],
    message: /cannot reach 127\.0\.0\.1:1: the connection was refused/,
  },
  {
    kind: 'unreachable',
    code: 10,
    words: ['--first-byte-timeout', '100ms', ...fault('delay')],
    message: /sent no response/,
  },
  { kind: 'incomplete', code: 11, words: fault('fin'), message: /the answer is incomplete/ },
  {
    kind: 'incomplete',
    code: 11,
    words: fault('rst cut-after=2'),
    message: /the answer is incomplete/,
  },
  {
    kind: 'no_answer',
    code: 14,
    words: fault('finish-reason=content_filter'),
    message: /the service filtered the answer \(finish_reason content_filter\)/,
  },
  {
    kind: 'mismatch',
    code: 13,
    words: ['--sandbox', '--select', '/a', '[sandbox echo]'],
    message: /the answer is empty/,
  },
];

test.each(rows)(
  'P23 P24 $kind exits with $code and shows at most two lines: $words',
  async ({ kind, code, words, message }) => {
    const { code: actual, stderr } = await runInMemory(words);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^natter: .+\n( {2}.+\n)?$/);
    expect(actual).toBe(code);
    expect(exitCodes[kind]).toBe(code);
  },
);

test.each(rows)('P23 $kind is named by --json on standard error: $words', async (row) => {
  const { code, stderr } = await runInMemory(['--json', ...row.words]);
  expect(JSON.parse(stderr)).toMatchObject({ error: { kind: row.kind } });
  expect(code).toBe(row.code);
});

test('P23 every kind of failure of a prompt except an unexpected one has a row above', () => {
  const shown = new Set(rows.map(({ kind }) => kind));
  const missing = Object.keys(exitCodes).filter((kind) => !shown.has(kind as FailureKind));
  // The others have separate tests: streams, budget, truncation, secrets, and batches.
  expect(missing).toEqual([
    'unexpected',
    'storage',
    'budget',
    'truncated_prompt',
    'secrets',
    'unfinished',
  ]);
});

test('P23 every exit code is unique', () => {
  const codes = Object.values(exitCodes);
  expect(new Set(codes).size).toBe(codes.length);
});

test('P24 NATTER_DEBUG adds the stack trace', async () => {
  const words = ['--sandbox', '[sandbox 404]'];
  const { stderr } = await runInMemory(words, { env: { NATTER_DEBUG: '1' } });
  expect(stderr).toMatch(/\n\s+at /);
});

test('an answer at its token limit has a notice and exit code 0', async () => {
  const { code, stderr } = await runInMemory(['--sandbox', '-t', '5', 'hi']);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^natter: the answer reached the token limit/);
});

/** A value for each argument that names or finds something; it does not exist. */
const missingValues: Readonly<Record<string, string>> = {
  conversation: 'nowhere',
  conversations: 'nowhere',
  model: 'nowhere',
  pattern: 'nowhere',
  text: 'nowhere',
};

/** Command lines for something that does not exist, of all commands that name or find something. */
function missingLines(command: Command, path: readonly string[] = []): string[][] {
  const names = command.registeredArguments.map((argument) => argument.name());
  const values = names.map((name) => missingValues[name] ?? 'x');
  const own = names.some((name) => Object.hasOwn(missingValues, name))
    ? [[...path, ...values]]
    : [];
  return [
    ...own,
    ...command.commands.flatMap((child) => missingLines(child, [...path, child.name()])),
  ];
}

const tree = buildProgram(createMemoryContext().context);
const lines = missingLines(tree);

let data: DataFolder;

beforeAll(async () => {
  data = createDataFolder();
  await data.run(['--sandbox', '[sandbox echo] first **words**']);
});

describe('Y34', () => {
  test('the command tree has commands for conversations, models and texts', () => {
    const named = lines.map((line) => line.join(' '));
    expect(named).toContain('conversations show nowhere');
    expect(named).toContain('models search nowhere');
  });

  test.each([
    ...lines,
    ['conversations', 'search', 'nowhere', '--json'],
    ['last', '--block', '1'],
    ['config', 'get', 'system'],
    ['config', 'paths', 'nowhere'],
  ])('not_found without output: natter %s %s %s %s', async (...words) => {
    const { code, stdout } = await data.run([...words, '--sandbox']);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  });

  test.each([
    [['--resume', 'flowers', 'hello', '--sandbox'], 'natter conversations search flowers'],
    [['--resume', 'two words', 'hello', '--sandbox'], 'natter conversations search WORD'],
    [['conversations', 'undelete', 'flowers'], 'natter conversations list --deleted'],
  ])('natter %j names the command that finds a conversation: %s', async (words, command) => {
    const { code, stderr } = await data.run(words);
    expect(code).toBe(6);
    expect(stderr).toContain(command);
  });

  test.each([
    ['conversations', 'list', '--deleted'],
    ['config', 'unset', 'model'],
    ['auth', 'logout'],
  ])('an empty list or a change already in effect succeeds: natter %s %s', async (...words) => {
    expect((await data.run(words)).code).toBe(0);
  });
});

test.each([
  ['nextgn', 'did you mean -m nextgen? natter models list shows the available models'],
  ['Origin', 'did you mean -m origin? natter models list shows the available models'],
  ['other', 'natter models list shows the available models; natter auth status shows'],
])('the unknown model %s has the hint: %s', async (model, hint) => {
  const { code, stderr } = await data.run(['--sandbox', '-m', model, 'hi']);
  expect(code).toBe(6);
  expect(stderr).toContain(`\n  ${hint}`);
  const json = await data.run(['--sandbox', '-m', model, '--json', 'hi']);
  const document = JSON.parse(json.stdout) as { readonly error: { readonly hint: string } };
  expect(document.error.hint).toContain(hint);
});
