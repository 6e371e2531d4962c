import { describe, expect, test } from 'vitest';
import { buildBatch } from '../../src/commands/batch/command.ts';
import type { ChatOptions } from '../../src/commands/chat/chat-run.ts';
import { buildChat } from '../../src/commands/chat/command.ts';
import { buildCompare } from '../../src/commands/compare/command.ts';
import { buildRun } from '../../src/commands/run/command.ts';
import { buildSandbox } from '../../src/commands/sandbox/command.ts';
import { createMemoryContext } from '../support/memory-context.ts';
import { parsedBy } from './parse-words.ts';

const { context } = createMemoryContext();
const defaults = { color: 'auto', input: true };

describe('chat', () => {
  const rows: readonly (readonly [string, readonly string[], Partial<ChatOptions>])[] = [
    ['why is it', ['why', 'is', 'it'], {}],
    ['-m nextgen hi', ['hi'], { model: 'nextgen' }],
    ['hi --model=auto', ['hi'], { model: 'auto' }],
    ['hi -s brief -t 5', ['hi'], { system: 'brief', maxTokens: '5' }],
    ['hi -f a -f b', ['hi'], { file: ['a', 'b'] }],
    ['hi --param a=1 --param b=2', ['hi'], { param: ['a=1', 'b=2'] }],
    ['hi --no-stream', ['hi'], { stream: false }],
    ['- --stdin-encoding latin1', ['-'], { stdinEncoding: 'latin1' }],
    ['hi --no-stdin --lossy', ['hi'], { stdin: false, lossy: true }],
    ['hi --json', ['hi'], { json: true }],
    ['hi --jsonl', ['hi'], { jsonl: true }],
    ['hi --plain --quiet', ['hi'], { plain: true, quiet: true }],
    ['hi --markdown --color never', ['hi'], { markdown: true, color: 'never' }],
    ['hi --raw --reasoning', ['hi'], { raw: true, reasoning: true }],
    ['hi --dry-run --sandbox', ['hi'], { dryRun: true, sandbox: true }],
    ['--profile work hi --no-input', ['hi'], { profile: 'work', input: false }],
    ['hi --retries 2 --timeout 5s', ['hi'], { retries: '2', timeout: '5s' }],
    [
      'hi --idle-timeout 1 --first-byte-timeout 2',
      ['hi'],
      { idleTimeout: '1', firstByteTimeout: '2' },
    ],
    [
      '--base-url http://x --allow-insecure hi',
      ['hi'],
      { baseUrl: 'http://x', allowInsecure: true },
    ],
    ['-- -m x', ['-m', 'x'], {}],
  ];

  test.each(rows)('natter %s', async (words, prompt, options) => {
    const ran = await parsedBy(buildChat(context), words);
    const expected = { ...defaults, stream: true, stdin: true, ...options };
    expect(ran).toEqual(['chat', expected, prompt]);
  });
});

test.each<[string, readonly string[], object]>([
  ['compare why', ['why'], {}],
  ['compare -m a,b --models c hi', ['hi'], { models: ['a,b', 'c'] }],
  ['compare hi --diff --stacked', ['hi'], { diff: true, stacked: true }],
  ['compare hi --json --no-save', ['hi'], { json: true, save: false }],
  ['compare hi -s brief -t 5 -f a', ['hi'], { system: 'brief', maxTokens: '5', file: ['a'] }],
  ['compare - --param a=1 --no-stream', ['-'], { param: ['a=1'], stream: false }],
])('natter %s is parsed', async (words, prompt, options) => {
  const ran = await parsedBy(buildCompare(context), words);
  const expected = { ...defaults, stream: true, stdin: true, ...options };
  expect(ran).toEqual(['compare', expected, prompt]);
});

test.each([
  ['sandbox', { host: '127.0.0.1', port: '0' }],
  ['sandbox --port 80 --log', { port: '80', log: true }],
  ['sandbox --scenario x.json', { scenario: 'x.json' }],
  ['sandbox --status 429 --retry-after 1', { status: '429', retryAfter: '1' }],
  ['sandbox --cut', { cut: true }],
  ['sandbox --cut rst', { cut: 'rst' }],
  ['sandbox --no-done', { done: false }],
  ['sandbox --upstream http://x', { upstream: 'http://x' }],
  ['sandbox --upstream-profile p', { upstreamProfile: 'p' }],
  ['sandbox --map origin=a --map nextgen=b', { map: ['origin=a', 'nextgen=b'] }],
])('natter %s is parsed', async (words, options) => {
  const [name, ran] = await parsedBy(buildSandbox(context), words);
  expect(name).toBe('sandbox');
  expect(ran).toMatchObject({ ...defaults, ...options });
});

describe('batch', () => {
  const parsed = (words: string) => parsedBy(buildBatch(context), words);
  const batchDefaults = {
    ...defaults,
    stream: true,
    concurrency: '4',
    retryIncomplete: '0',
    rerunFailed: '0',
    seed: '0',
    outputFormat: 'jsonl',
    answerColumn: 'answer',
  };
  test.each<readonly [string, string | undefined, object]>([
    ['batch', undefined, {}],
    ['batch -', '-', {}],
    ['batch p.txt -o out --unordered', 'p.txt', { output: 'out', unordered: true }],
    ['batch p --format tsv --template x', 'p', { format: 'tsv', template: 'x' }],
    ['batch p --shard 1/2 --concurrency 9', 'p', { shard: '1/2', concurrency: '9' }],
    ['batch p --shard auto/8 --stop-after 55m', 'p', { shard: 'auto/8', stopAfter: '55m' }],
    ['batch p --limit 5 --rerun-failed 2', 'p', { limit: '5', rerunFailed: '2' }],
    ['batch p --rpm 60 --tpm 9000', 'p', { rpm: '60', tpm: '9000' }],
    ['batch p --keep-going', 'p', { keepGoing: true }],
    [
      'batch p --output-format csv --answer-column mood',
      'p',
      { outputFormat: 'csv', answerColumn: 'mood' },
    ],
    ['batch p --sample 5 --seed 7', 'p', { sample: '5', seed: '7' }],
    [
      'batch p --max-cost 2.5 --max-total-tokens 900',
      'p',
      { maxCost: '2.5', maxTotalTokens: '900' },
    ],
    [
      'batch p --summary s --progress-json --figures',
      'p',
      { summary: 's', progressJson: true, figures: true },
    ],
    ['batch p --retry-incomplete 1 --no-stream', 'p', { retryIncomplete: '1', stream: false }],
    [
      'batch p -m a -s b -t 5 --param c=1',
      'p',
      { model: 'a', system: 'b', maxTokens: '5', param: ['c=1'] },
    ],
  ])('%s', async (words, file, options) => {
    const expected = ['batch', { ...batchDefaults, ...options }, file];
    expect(await parsed(words)).toEqual(expected);
  });

  test('batch export p --results r --force', async () => {
    const words = 'batch export p -t 5 --results r --force';
    const [name, options, file] = await parsed(words);
    expect([name, file]).toEqual(['export', 'p']);
    expect(options).toMatchObject({ maxTokens: '5', results: 'r', force: true });
  });

  test('batch import p a b -o c --output-format csv', async () => {
    const words = 'batch import p a b -o c --output-format csv';
    const [name, options, file, results] = await parsed(words);
    expect([name, file, results]).toEqual(['import', 'p', ['a', 'b']]);
    expect(options).toMatchObject({ output: 'c', outputFormat: 'csv' });
  });

  test('batch merge a b -o c --force', async () => {
    const [name, options, files] = await parsed('batch merge a b -o c --force');
    expect([name, files]).toEqual(['merge', ['a', 'b']]);
    expect(options).toMatchObject({ output: 'c', force: true });
  });
});

test.each<[string, string, readonly string[], object]>([
  ['run review', 'review', [], {}],
  ['run review.md --lang=ts', 'review.md', ['--lang=ts'], {}],
  ['run fix 123 --lang=ts high', 'fix', ['123', '--lang=ts', 'high'], {}],
  ['run fix --lang=ts -m nextgen --json', 'fix', ['--lang=ts'], { model: 'nextgen', json: true }],
  ['run -m nextgen fix - -c -s brief', 'fix', ['-'], { continue: true, system: 'brief' }],
  ['run fix --lang=ts --sandbox --color never', 'fix', ['--lang=ts'], { color: 'never' }],
])('natter %s is parsed', async (words, name, line, options) => {
  const command = buildRun(context);
  const [ran, found, parsed] = await parsedBy(command, words);
  expect([ran, parsed, command.args.slice(1)]).toEqual(['run', name, line]);
  expect(found).toMatchObject({ stream: true, stdin: true, ...options });
});
