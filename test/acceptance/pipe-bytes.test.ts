import { expect, test } from 'vitest';
import { runNatter } from '../support/natter.ts';
import { chunk, delta, done, lastChunk, streamHead } from '../support/raw-replies.ts';
import type { Reply } from '../support/raw-server.ts';
import { serve } from '../support/serve.ts';
import { serviceAt } from '../support/service.ts';
import { runShell } from '../support/shell.ts';
import { sha256 } from '../support/slow-reader.ts';

/** What a terminal must never be sent, and what an editor would like to tidy. */
const hostile =
  '\u001B[2J\u001B]52;c;aGk=\u0007 \u009B31m \u0000\u0008\u007F \u202Eabc\u200B\uFEFF \r\n\r  \t\n\n\u2028 é 😀 no newline at the end';

const stream = (...deltas: string[]): Reply => [
  streamHead(),
  ...deltas.map((text) => chunk(delta(text))),
  chunk(done),
  lastChunk,
];

test.each([[[]], [['--plain']], [['--raw']], [['--no-stream']], [['--color', 'always']]])(
  'D21 a pipe gets exactly the bytes of the answer with %j',
  async (flags) => {
    const server = await serve([stream(...Array.from(hostile))]);
    const { code, stdoutBytes, stderr } = await runNatter([...flags, 'hi'], {
      env: serviceAt(server),
    });
    expect({ code, hash: sha256(stdoutBytes) }).toEqual({ code: 0, hash: sha256(hostile) });
    expect(stderr).toBe('');
  },
);

test('D21 a file gets exactly the bytes of the answer', async () => {
  const server = await serve([stream(hostile)]);
  const line = 'f=$(mktemp); $NATTER hi </dev/null >$f; cat $f; rm $f';
  const { stdoutBytes } = await runShell(line, serviceAt(server));
  expect(sha256(stdoutBytes)).toBe(sha256(hostile));
});

test('S36 bytes that are no UTF-8 become U+FFFD, and the rest of the answer stays exact', async () => {
  const [before = '', after = ''] = delta('a#b\u001B[0m').split('#');
  const piece = Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]);
  const server = await serve([[streamHead(), chunk(piece), chunk(done), lastChunk]]);
  const { stdout } = await runNatter(['hi'], { env: serviceAt(server) });
  expect(stdout).toBe('a\uFFFDb\u001B[0m');
});

test('half a surrogate pair becomes U+FFFD', async () => {
  const server = await serve([stream('a\uD83D', 'b\uDE00', 'c\uD83D')]);
  const { stdout } = await runNatter(['hi'], { env: serviceAt(server) });
  expect(stdout).toBe('a\uFFFDb\uFFFDc\uFFFD');
});

test('T14 --markdown in a pipe takes control sequences out and says so', async () => {
  const server = await serve([stream(hostile)]);
  const { code, stdout, stderr } = await runNatter(['--markdown', 'hi'], {
    env: serviceAt(server),
  });
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E\u200B\uFEFF\u2028]/);
  expect(stdout).toContain('abc');
  expect(stderr).toMatch(/^natter: \d+ control or hidden characters of the answer not shown/);
});

test('T19 natter itself writes no escape into a pipe, whatever the answer holds', async () => {
  const words = ['--sandbox', '--retries', '1', '[sandbox markdown]'];
  const { stdout, stderr } = await runNatter(words);
  expect(stdout + stderr).not.toContain('\u001B');
});

test('T4 an error of the service cannot act on a terminal through standard error', async () => {
  const words = ['--sandbox', String.raw`[sandbox 400 message="\u001b]0;x\u0007bad\u202e"]`];
  const { stderr } = await runNatter(words);
  expect(stderr).toContain('bad');
  expect(stderr).not.toMatch(/[\u001B\u0007\u202E]/);
});
