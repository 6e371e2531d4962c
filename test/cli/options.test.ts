import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { buildBatch } from '../../src/commands/batch/command.ts';
import { buildChat } from '../../src/commands/chat/command.ts';
import { buildCompare } from '../../src/commands/compare/command.ts';
import { buildRun } from '../../src/commands/run/command.ts';
import { buildSandbox } from '../../src/commands/sandbox/command.ts';
import { parsedBy } from './parse-words.ts';

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
