import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { serviceKey } from '../../src/ask/key-command.ts';
import type { Run } from '../../src/run.ts';
import { maskMessage } from '../../src/secrets/secrets.ts';
import { folderOf } from '../support/folder.ts';
import { createMemoryContext, type MemoryOptions } from '../support/memory-context.ts';

const home = folderOf();
const service = { baseUrl: 'https://api.example.com', allowInsecure: false };

const node = (program: string) => JSON.stringify([process.execPath, '-e', program]);
const printing = (text: string) => node(`process.stdout.write(${JSON.stringify(text)})`);

function setup(options: MemoryOptions = {}) {
  const memory = createMemoryContext({ homeDirectory: home, ...options });
  const source = { kind: 'profile', name: 'work' } as const;
  const settingOf = (value: string) => ({ value, source });
  const run = (value: string) => {
    const settings = { values: service, apiKeyCommand: settingOf(value) };
    return serviceKey({ context: memory.context, settings } as unknown as Run);
  };
  return { ...memory, run, settingOf };
}

test('the key is the trimmed output, and is masked from then on', async () => {
  const { run, context } = setup();
  expect(await run(printing('  nk-printed-key-1\r\n\n'))).toBe('nk-printed-key-1');
  expect(maskMessage(context.secrets, 'got nk-printed-key-1')).toBe('got ***');
});

test.each([
  [printing(''), 'api-key-command of profile work printed no key'],
  [printing(' \n\n'), 'api-key-command of profile work printed no key'],
  [printing('one\ntwo\n'), 'api-key-command of profile work printed 2 lines, not a key'],
  [printing('two words'), 'the output of api-key-command of profile work contains a space'],
  [printing('x'.repeat(9000)), 'api-key-command of profile work printed more than a key'],
  [node('process.exit(7)'), 'api-key-command of profile work failed with exit code 7'],
  [node('process.kill(process.pid, "SIGKILL")'), 'profile work failed with SIGKILL'],
  ['natter-no-such-program x', 'names the program natter-no-such-program, which was not found'],
])('%s fails as a key that is missing', async (command, message) => {
  const key = setup().run(command);
  await expect(key).rejects.toThrow(message);
  await expect(key).rejects.toMatchObject({ kind: 'unauthorized', hint: expect.any(String) });
});

test('a path that only a shell understands is explained', async () => {
  await expect(setup().run('~/bin/key')).rejects.toMatchObject({
    hint: 'no shell expands it, and it runs in your home folder: write its whole path',
  });
});

test('a malformed command is a wrong setting', async () => {
  const message = 'api-key-command of profile work has a quote without its end';
  const failure = { kind: 'configuration', message };
  await expect(setup().run('pass "show')).rejects.toMatchObject(failure);
});

test('a command that does not end within 30 seconds is ended', async () => {
  const { run, clock } = setup();
  const file = join(home, 'ended');
  const command = node(
    `process.on('SIGTERM', () => { require('fs').writeFileSync(${JSON.stringify(file)}, 'x'); process.exit() });
     require('fs').writeFileSync(${JSON.stringify(`${file}.ready`)}, 'x'); setInterval(() => {}, 1000)`,
  );
  const key = run(command.replaceAll('\n', ' '));
  const failure = key.catch((error: unknown) => error);
  await vi.waitFor(() => readFileSync(`${file}.ready`), { timeout: 10_000 });
  await clock.advance(30_000);
  const message = 'api-key-command of profile work did not end within 30 seconds';
  expect(await failure).toMatchObject({ kind: 'unauthorized', message });
  await vi.waitFor(() => readFileSync(file), { timeout: 10_000 });
});

test('an interruption ends the command', async () => {
  const { run, abort } = setup();
  const key = run(node('setInterval(() => {}, 1000)'));
  const reason = new Error('interrupted');
  abort(reason);
  await expect(key).rejects.toBe(reason);
});

test('a command runs once for a process, and again when its key is forgotten', async () => {
  const { run, context } = setup();
  const count = join(home, 'count');
  writeFileSync(count, '');
  const command = node(
    `const fs = require('fs'); fs.appendFileSync(${JSON.stringify(count)}, 'x'); console.log('key-' + fs.readFileSync(${JSON.stringify(count)}).length)`,
  );
  expect(await Promise.all([run(command), run(command)])).toEqual(['key-1', 'key-1']);
  expect(await run(command)).toBe('key-1');
  context.shared.printedKeys.delete(command);
  expect(await run(command)).toBe('key-2');
});

test('a command that failed runs again', async () => {
  const { run } = setup();
  const flag = join(folderOf(), 'unlocked');
  const command = node(
    `if (!fs.existsSync(${JSON.stringify(flag)})) process.exit(1); process.stdout.write('the-key');`,
  );
  await expect(run(command)).rejects.toMatchObject({ kind: 'unauthorized' });
  writeFileSync(flag, '');
  expect(await run(command)).toBe('the-key');
});

test("the command gets the environment without natter's keys, and runs in the home folder", async () => {
  const keys = { NATTER_API_KEY_COMMAND: 'x', NATTER_UPSTREAM_API_KEY: 'upstream' };
  const environment = { PATH: process.env['PATH'] ?? '', SESSION: 'session-token', ...keys };
  const { run } = setup({ environment });
  const names = Object.keys(environment);
  const show = node(
    `console.log([process.cwd(), ...${JSON.stringify(names)}.filter((n) => process.env[n])].join(','))`,
  );
  const { realpathSync } = await import('node:fs');
  expect(await run(show)).toBe([realpathSync(home), 'PATH', 'SESSION'].join(','));
});

test('a key that may not be sent over plain http is not fetched', async () => {
  const { context, settingOf } = setup();
  const values = { baseUrl: 'http://api.example.com', allowInsecure: false };
  const settings = { values, apiKeyCommand: settingOf('natter-no-such-program') };
  const key = serviceKey({ context, settings } as unknown as Run);
  await expect(key).rejects.toMatchObject({ remedy: { code: 'use-https' } });
});
