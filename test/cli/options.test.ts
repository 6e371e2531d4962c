import { expect, test } from 'vitest';
import { buildBatch } from '../../src/commands/batch/command.ts';
import { buildChat } from '../../src/commands/chat/command.ts';
import { buildCompare } from '../../src/commands/compare/command.ts';
import { buildRun } from '../../src/commands/run/command.ts';
import { buildSandbox } from '../../src/commands/sandbox/command.ts';
import { createMemoryContext } from '../support/memory-context.ts';
import { parsedBy } from './parse-words.ts';

const { context } = createMemoryContext();
const defaults = { color: 'auto', input: true };
const sending = { ...defaults, stream: true, stdin: true };
const batch = {
  ...defaults,
  stream: true,
  concurrency: '4',
  retryIncomplete: '0',
  rerunFailed: '0',
  seed: '0',
  outputFormat: 'jsonl',
  answerColumn: 'answer',
};

// Options of these kinds: with and without a value, with =, repeatable, negated, and words after --.
test.each<[string, readonly string[], object]>([
  ['why is it', ['why', 'is', 'it'], {}],
  ['-m nextgen hi --timeout=5s', ['hi'], { model: 'nextgen', timeout: '5s' }],
  ['hi -f a -f b --param a=1 --param b=2', ['hi'], { file: ['a', 'b'], param: ['a=1', 'b=2'] }],
  ['hi --no-stream --no-stdin --no-input', ['hi'], { stream: false, stdin: false, input: false }],
  ['--base-url http://x - --json', ['-'], { baseUrl: 'http://x', json: true }],
  ['-- -m x', ['-m', 'x'], {}],
])('natter %s', async (words, prompt, options) => {
  const ran = await parsedBy(buildChat(context), words);
  expect(ran).toEqual(['chat', { ...sending, ...options }, prompt]);
});

test('natter compare takes models in lists and one by one', async () => {
  const ran = await parsedBy(buildCompare(context), 'compare -m a,b --models c hi --no-save');
  expect(ran).toEqual(['compare', { ...sending, models: ['a,b', 'c'], save: false }, ['hi']]);
});

test.each([
  ['sandbox', { host: '127.0.0.1', port: '0' }],
  ['sandbox --status 429 --retry-after 1 --cut', { status: '429', retryAfter: '1', cut: true }],
  ['sandbox --cut rst --no-done', { cut: 'rst', done: false }],
  ['sandbox --map origin=a --map nextgen=b', { map: ['origin=a', 'nextgen=b'] }],
])('natter %s is parsed', async (words, options) => {
  const [name, ran] = await parsedBy(buildSandbox(context), words);
  expect(name).toBe('sandbox');
  expect(ran).toMatchObject({ ...defaults, ...options });
});

test.each<readonly [string, string, readonly unknown[], object]>([
  ['batch', 'batch', [undefined], batch],
  ['batch p -o out --shard 1/2', 'batch', ['p'], { ...batch, output: 'out', shard: '1/2' }],
  ['batch export p -t 5 --force', 'export', ['p'], { maxTokens: '5', force: true }],
  ['batch import p a b -o c', 'import', ['p', ['a', 'b']], { output: 'c' }],
  ['batch merge a b -o c --force', 'merge', [['a', 'b']], { output: 'c', force: true }],
])('natter %s is parsed', async (line, command, words, options) => {
  const [name, ran, ...parsed] = await parsedBy(buildBatch(context), line);
  expect([name, parsed]).toEqual([command, words]);
  expect(ran).toMatchObject(options);
});

test.each<[string, string, readonly string[], object]>([
  ['run review', 'review', [], {}],
  ['run fix 123 --lang=ts high', 'fix', ['123', '--lang=ts', 'high'], {}],
  ['run fix --lang=ts -m nextgen --json', 'fix', ['--lang=ts'], { model: 'nextgen', json: true }],
  ['run -m nextgen fix - -c -s brief', 'fix', ['-'], { continue: true, system: 'brief' }],
])('natter %s is parsed', async (words, name, line, options) => {
  const command = buildRun(context);
  const [ran, found, parsed] = await parsedBy(command, words);
  expect([ran, parsed, command.args.slice(1)]).toEqual(['run', name, line]);
  expect(found).toMatchObject({ stream: true, stdin: true, ...options });
});
