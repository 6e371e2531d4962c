import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { rule } from '../sandbox/sandbox-helpers.ts';
import { openSlowBatchPlace, promptLines } from '../support/batch.ts';
import { openHeldSandbox } from '../support/held-sandbox.ts';
import { startNatter } from '../support/natter.ts';
import { leave, openRepl } from '../support/repl-terminal.ts';

/** If Node opens a debugger, it uses a free port and reports it on standard error. */
const anyPort = { NODE_OPTIONS: '--inspect-port=0' };

test('a batch with --stop-after starts no more items after its time, and exits with 75', async () => {
  const place = await openSlowBatchPlace();
  place.write('p.txt', promptLines(5));
  const words = ['p.txt', '-o', 'out.jsonl', '--concurrency', '1', '--stop-after', '500ms'];
  const natter = place.start(words);
  await place.inProgress(1);
  await natter.waitFor('stderr', /--stop-after: finishing running requests/);
  await place.finish(1);
  const { code, stderr } = await natter.result;
  expect(code).toBe(75);
  expect(stderr).toMatch(/stopped by --stop-after: 1 of 5 items answered in .*, 4 left/);
});

describe('SIGUSR1 opens no debugger', () => {
  test('X4: during an answer, which is completed', async () => {
    const { env, pass } = await openHeldSandbox({ faults: [rule('tokens=20 rate=20')] });
    const natter = startNatter(['hi'], { env: { ...env, ...anyPort } });
    await pass(100);
    await natter.waitFor('stdout', /\w/);
    natter.child.kill('SIGUSR1');
    await pass(1500);
    const { code, stderr } = await natter.result;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('X4: of the sandbox, which keeps running', async () => {
    const natter = startNatter(['sandbox'], { env: anyPort });
    await natter.waitFor('stderr', /try it/);
    natter.child.kill('SIGUSR1');
    const headers = { authorization: `Bearer ${sandboxKey}` };
    const { ok } = await fetch(`${natter.stdout().trim()}/v1/models`, { headers });
    natter.child.kill('SIGTERM');
    const { signal, stderr } = await natter.result;
    expect({ ok, signal, debugger: /Debugger/.test(stderr) }).toEqual({
      ok: true,
      signal: 'SIGTERM',
      debugger: false,
    });
  });

  test('X4: of a conversation, which stays open', async () => {
    const terminal = await openRepl(['--sandbox'], { env: anyPort });
    terminal.kill('SIGUSR1');
    terminal.type('hello\r');
    await terminal.waitFor(/hello[^]*›/);
    expect(await leave(terminal)).toBe(0);
    expect(terminal.output()).not.toContain('Debugger');
  });

  test('X4: and one opened while Node started is closed', async () => {
    const preload = join(mkdtempSync(join(tmpdir(), 'natter-preload-')), 'signal.cjs');
    // Waits until Node has opened it, before the first line of natter.
    writeFileSync(
      preload,
      `process.kill(process.pid, 'SIGUSR1');
       const { url } = require('node:inspector');
       while (url() === undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);`,
    );
    const env = { NODE_OPTIONS: `--inspect-port=0 --require ${preload}` };
    const natter = startNatter(['sandbox'], { env });
    await natter.waitFor('stderr', /try it/);
    // The response is sent after the first turn of natter's event loop.
    await fetch(natter.stdout().trim());
    const ports = [...natter.stderr().matchAll(/ws:\/\/127\.0\.0\.1:(\d+)/g)].map(
      ([, port]) => port,
    );
    expect(ports.length).toBeGreaterThan(0);
    for (const port of ports) {
      await expect(fetch(`http://127.0.0.1:${port}/json/version`)).rejects.toThrow('fetch failed');
    }
    natter.child.kill('SIGTERM');
    await natter.result;
  });
});
