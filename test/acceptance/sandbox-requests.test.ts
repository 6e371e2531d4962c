// What other programs on the machine, and web pages, may send to `natter sandbox`.

import { onTestFinished, expect, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { runNatter, startNatter } from '../support/natter.ts';

async function openSandbox(): Promise<string> {
  const sandbox = startNatter(['sandbox', '--log'], { keepInputOpen: true });
  onTestFinished(async () => {
    sandbox.child.kill();
    await sandbox.result;
  });
  await sandbox.waitFor('stderr', /listening on \S+\n/);
  return /listening on (\S+)/.exec(sandbox.stderr())?.[1] ?? '';
}

test.each([
  ['X5: a keyless request nested 8,000 deep', undefined, 401],
  ['X5: one with a key', sandboxKey, 400],
])('%s leaves the sandbox running', async (_name, key, status) => {
  const url = await openSandbox();
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'text/plain',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body: `${'{"a":'.repeat(8000)}1${'}'.repeat(8000)}`,
  });
  expect(answer.status).toBe(status);
  const env = { NATTER_BASE_URL: url, NATTER_API_KEY: sandboxKey };
  const asked = await runNatter(['[sandbox echo] still here'], { env });
  expect(asked).toMatchObject({ code: 0, stdout: 'still here' });
});
