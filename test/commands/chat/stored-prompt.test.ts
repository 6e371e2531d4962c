import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Failure } from '../../../src/failure.ts';
import { folderOf } from '../../support/folder.ts';
import { runInContext } from '../../support/in-memory.ts';
import { streamed } from '../../support/raw-replies.ts';
import { serve } from '../../support/serve.ts';

test('the prompt is in its file before it is sent, on the only connection', async () => {
  const folder = folderOf();
  const stored: string[] = [];
  const read = () => {
    const conversations = join(folder, 'conversations');
    const files = readdirSync(conversations).filter((name) => name.endsWith('.jsonl'));
    stored.push(...files.map((name) => readFileSync(join(conversations, name), 'utf8')));
  };
  const server = await serve([[read, streamed('Hi')]]);
  const environment = { NATTER_BASE_URL: server.url, NATTER_DATA_DIR: folder };
  const ran = await runInContext(['a rare prompt'], { environment }, { random: Math.random });
  expect(ran.stdout).toBe('Hi\n');
  expect(stored).toEqual([expect.stringContaining('a rare prompt')]);
  expect(server.connections()).toBe(1);
});

test.each([
  ['a dry run', ['--dry-run', 'hi'], undefined],
  ['a missing file', ['--file', 'missing.txt', 'hi'], 'usage'],
  ['a placeholder without input', ['--no-stdin', '-'], 'usage'],
  ['a conversation that does not exist', ['--resume', 'missing', 'hi'], 'not_found'],
  ['a missing recording', ['--replay', 'missing.jsonl', 'hi'], 'configuration'],
])('%s opens no connection', async (_name, words, kind) => {
  const server = await serve([[streamed('Hi')]]);
  const environment = { NATTER_BASE_URL: server.url, NATTER_DATA_DIR: folderOf() };
  const { failure } = await runInContext(words, { environment });
  expect((failure as Failure | undefined)?.kind).toBe(kind);
  // Connections are accepted in their order.
  const last = connect(server.port, '127.0.0.1');
  await server.connected(1);
  last.destroy();
  expect(server.connections()).toBe(1);
});
