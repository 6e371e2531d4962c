import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { binary, cleanEnvironment, runNatter } from '../support/natter.ts';
import { chunk, delta, done, lastChunk, streamHead } from '../support/raw-replies.ts';
import type { Reply } from '../support/raw-server.ts';
import { serve } from '../support/serve.ts';
import { serviceAt } from '../support/service.ts';
import { runShell } from '../support/shell.ts';
import { readSlowly, sha256, standstill } from '../support/slow-reader.ts';

/** Lines that come for ten seconds, or until nobody wants them. */
const longAnswer: Reply = [
  streamHead(),
  ...Array.from({ length: 2000 }, () => [chunk(delta('a line\n')), 5]).flat(),
];

test('P1 a reader that takes one line ends natter quietly', async () => {
  const server = await serve([longAnswer]);
  const { code, stdout, stderr } = await runShell(
    '$NATTER hi </dev/null | head -1',
    serviceAt(server),
  );
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'a line\n', stderr: '' });
});

test('P1 the server sees the connection close soon after the reader left', async () => {
  const server = await serve([longAnswer]);
  const child = spawn(process.execPath, [binary, 'hi'], {
    env: cleanEnvironment(serviceAt(server)),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const start = performance.now();
  await server.idle();
  // Half of what the answer would take.
  expect(performance.now() - start).toBeLessThan(5000);
});

test('P2 a slow reader gets all of five megabytes', async () => {
  const piece = 'abcdefghijklmnopqrstuvwxyz äöü\n'.repeat(1000);
  const pieces = Math.ceil(5_000_000 / Buffer.byteLength(piece));
  const server = await serve([
    [streamHead(), ...Array<Buffer>(pieces).fill(chunk(delta(piece))), chunk(done), lastChunk],
  ]);
  const { code, hash } = await readSlowly(['hi'], serviceAt(server), { rest: 2 });
  expect({ code, hash }).toEqual({ code: 0, hash: sha256(piece.repeat(pieces)) });
});

test('P26 memory stays bounded while nobody reads a stream of fifty megabytes', async () => {
  const piece = 'x'.repeat(64 * 1024);
  const pieces = 800;
  let sent = 0;
  const steps = Array.from({ length: pieces }, () => [chunk(delta(piece)), () => (sent += 1)]);
  const server = await serve([[streamHead(), ...steps.flat(), chunk(done), lastChunk]]);
  let sentUnread = 0;
  const mayRead = async () => {
    sentUnread = await standstill(() => sent);
  };
  const read = await readSlowly(['hi'], serviceAt(server), { mayRead });
  expect(sentUnread).toBeLessThan(pieces / 2);
  expect(read).toMatchObject({ code: 0, length: piece.length * pieces });
  expect(read.peak).toBeLessThan(200);
});

test.each([
  ['a short answer', '--sandbox hi'],
  ['a long answer', '--sandbox "[sandbox tokens=20000]"'],
  ['JSON', '--sandbox --json hi'],
  ['the models', '--sandbox models list'],
  ['the version', '--version'],
  ['the help', '--help'],
])('P3 %s into a full device is a storage failure', async (_name, words) => {
  const { code, stderr } = await runShell(`$NATTER ${words} </dev/null >/dev/full`);
  expect(stderr).toContain('cannot write to standard output: no space is left on the device');
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(code).toBe(12);
});

test.each(['>&-', '2>&-', '>&- 2>&-', '<&- >&- 2>&-'])(
  'P4 natter does not mind streams closed with %s',
  async (redirections) => {
    const { code, stderr } = await runShell(`$NATTER --sandbox hi ${redirections}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  },
);

test('P4 a failure keeps its exit code when standard error is closed', async () => {
  const { code } = await runShell('$NATTER --sandbox "[sandbox 404]" 2>&-');
  expect(code).toBe(6);
});

test('P4 an answer survives a full standard error', async () => {
  const line = '$NATTER --sandbox "[sandbox finish=length echo]hello" </dev/null 2>/dev/full';
  expect(await runShell(line)).toMatchObject({ code: 0, stdout: 'hello' });
});

test('P17 standard output holds the answer alone while everything is told on standard error', async () => {
  const words = ['--sandbox', '-t', '1', '[sandbox 500 retry-after=0 times=1 echo]hello you'];
  const { code, stdout, stderr } = await runNatter(words);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'hello' });
  expect(stderr).toMatch(/retry 1 of 4/);
  expect(stderr).toMatch(/token limit/);
});

test('P25 the C locale changes no byte of an answer', async () => {
  const words = ['--sandbox', '[sandbox unicode]'];
  const [plain, unicode] = await Promise.all([
    runNatter(words, { env: { LANG: 'C', LC_ALL: 'C' } }),
    runNatter(words),
  ]);
  expect(plain.stdoutBytes.equals(unicode.stdoutBytes)).toBe(true);
});
