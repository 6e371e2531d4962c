import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { temporaryHome } from '../support/natter.ts';
import { openTerminal } from '../support/terminal.ts';

/** Writes the active resources of the process at SIGUSR2. */
const observer = `
process.on('SIGUSR2', () => {
  const { writeFileSync, renameSync } = require('node:fs');
  writeFileSync(process.env.OBSERVED + '.draft', JSON.stringify(process.getActiveResourcesInfo()));
  renameSync(process.env.OBSERVED + '.draft', process.env.OBSERVED);
});
`;

/** A REPL whose active resources can be read. */
async function openObserved() {
  const folder = temporaryHome();
  const [script, observed] = [join(folder, 'observer.cjs'), join(folder, 'observed')];
  writeFileSync(script, observer);
  const env = { NODE_OPTIONS: `--require=${script}`, OBSERVED: observed };
  const shell = `bash -c 'echo "pid $$"; exec $NATTER --sandbox'`;
  const session = openTerminal([], { shell, env });
  const pid = Number(/pid (\d+)/.exec(await session.waitFor(/›/))?.[1]);
  const resources = async (): Promise<readonly string[]> => {
    rmSync(observed, { force: true });
    process.kill(pid, 'SIGUSR2');
    await vi.waitUntil(() => existsSync(observed), { timeout: 60_000, interval: 20 });
    return JSON.parse(readFileSync(observed, 'utf8')) as readonly string[];
  };
  return { session, resources };
}

const timers = (resources: readonly string[]) =>
  resources.filter((name) => name === 'Timeout' || name === 'Immediate');

test('an idle session runs no timer, before and after an answer', async () => {
  const { session, resources } = await openObserved();
  const rests = async () => {
    await expect.poll(async () => timers(await resources())).toEqual([]);
  };
  await rests();
  session.type('hello\r');
  await session.waitFor(/origin · .* tokens/);
  session.type('a draft');
  await session.waitFor(/› a draft/);
  await rests();
  session.kill('SIGKILL');
});

test('a fast answer updates the terminal at most 31 times a second', async () => {
  // Before the start, because updates may be read late.
  const begin = performance.now();
  const session = openTerminal(['--sandbox', '-i', '[sandbox markdown rate=500] hello']);
  await session.waitFor(/›/);
  await session.waitFor(/never closed[^]*\/128K/);
  const seconds = (performance.now() - begin) / 1000;
  const updates = session.output().split('\u001B[?2026h').length - 1;
  expect(updates).toBeGreaterThan(5);
  // The first frame and the echo of the prompt are further updates.
  expect(updates).toBeLessThanOrEqual(31 * seconds + 10);
  session.kill('SIGKILL');
});
