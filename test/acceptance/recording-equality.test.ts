import { expect, test } from 'vitest';
import { replyNames } from '../../src/sandbox/replies/reply.ts';
import { newPath } from '../recording/recording-fixtures.ts';
import { runInMemory } from '../support/in-memory.ts';
import { type RunResult } from '../support/natter.ts';

/** Faults that stall, each with the time limit that ends it. */
const stalls = new Map([
  ['delay', ['--first-byte-timeout', '300ms']],
  ['stall-after=3 tokens=20', ['--idle-timeout', '1s']],
  ['stall-after=3 keep-alive=50 tokens=20', ['--idle-timeout', '1s']],
]);

/**
 * The output and exit code. The delay of a retry is random, and the time of its end may differ by a second, because the
 * client reads the clock after the recorded moment.
 */
function seen({ code, stdoutBytes, stderr }: RunResult) {
  const text = stderr.replaceAll(/in [\d.]+ s/g, '').replaceAll(/\d\d:\d\d:\d\d/g, '(time)');
  return { code, bytes: stdoutBytes.toString('hex'), stderr: text };
}

/** Runs a command on the sandbox, then on its recording. */
async function liveAndReplayed(words: readonly string[]) {
  const tape = newPath();
  const live = await runInMemory(['--sandbox', '--record', tape, '--retries', '1', ...words]);
  const replay = ['--replay', tape, '--speed', 'max', '--retries', '1'];
  const replayed = await runInMemory([...replay, ...words]);
  return { live, replayed };
}

const replies = replyNames.map((name) => (name === 'million' ? `${name} tokens=20000` : name));

const malformations = ['truncated', 'html', 'two', 'null', 'utf8'];

const errorShapes = ['nested', 'string', 'text'];

/** Groups that request a fault. */
const faults = [
  ...[400, 401, 404, 429, 503].map((status) => `${status}`),
  '204',
  'status=302 headers="location: /elsewhere?token=1"',
  '429 times=1 retry-after=0',
  '429 retry-after=120',
  '500 times=1',
  ...[...errorShapes, 'html', 'empty'].map((shape) => `400 error-shape=${shape}`),
  'body="not an answer" content-type=text/plain',
  'body="<title>Gateway</title>" content-type=text/html',
  'body=""',
  ...['fin', 'rst', 'end'].map((how) => `cut=${how} cut-after=5 tokens=20`),
  'fin cut-after=request',
  'rst cut-after=headers',
  'fin cut-after=request times=1',
  ...stalls.keys(),
  'gzip',
  'br',
  'encoding=deflate',
  'gzip fin cut-after=5 tokens=40',
  'framing=close',
  'early-hints',
  'no-stream',
  'no-stream fin',
  ...malformations.map((kind) => `malformed-at=3 malformed-as=${kind} tokens=10`),
  'error-at=3 tokens=10',
  'error-at=1',
  'error-at=3 error-as=event tokens=10',
  'no-done',
  'no-done no-finish-reason tokens=10',
  'finish-reason=length',
  'after-done hold-open tokens=10',
  'unterminated tokens=10',
  'split=utf16 unicode',
  'split=bytes unicode',
  'split=bytes/7 crlf unicode',
  'hostile tokens=10',
  'eol=mixed bom=2 comments data-spaces=2 tokens=10',
  'data-lines extra-fields role=every empty-choices odd-chunks tokens=10',
  'reasoning tokens=10',
  'refusal',
];

test.each([...replies, ...faults])(
  'D21 [sandbox %s] has the same bytes and exit code replayed as live',
  async (group) => {
    const limits = stalls.get(group) ?? [];
    const { live, replayed } = await liveAndReplayed([...limits, `[sandbox ${group}] hello`]);
    expect(seen(replayed)).toEqual(seen(live));
    expect(live.stdout + live.stderr).not.toBe('');
  },
);

test.each([
  [['models', 'list'], 0],
  [['models', 'list', '--json'], 0],
  [['models', 'get', 'nextgen', '--json'], 0],
  [['models', 'get', 'unknown'], 6],
] as const)('%j is the same replayed as live', async (words, code) => {
  const { live, replayed } = await liveAndReplayed(words);
  expect(seen(replayed)).toEqual(seen(live));
  expect(live.code).toBe(code);
});

test('a cut answer is also incomplete when replayed, with its text', async () => {
  const { replayed } = await liveAndReplayed(['[sandbox fin cut-after=5 echo] a b c d e f g h']);
  expect(replayed.code).toBe(11);
  expect(replayed.stdout).toBe('a b c d e\n');
});

test('R17 a refused connection has the same message when replayed, with host and port', async () => {
  const tape = newPath();
  const address = ['--base-url', 'http://127.0.0.1:1'];
  const live = await runInMemory([...address, '--record', tape, 'hi']);
  const replayed = await runInMemory(['--replay', tape, 'hi']);
  const message = 'natter: cannot reach 127.0.0.1:1: the connection was refused';
  const hint = '  is the server on port 1 running? start it, or';
  expect(live.stderr.split('\n')).toEqual([
    message,
    `${hint} correct the base URL, which is from --base-url`,
    '',
  ]);
  expect(live.code).toBe(10);
  const stored = `${message}\n${hint} change the address: natter config set base-url <url>\n`;
  expect(seen(replayed)).toEqual({ ...seen(live), stderr: stored });
});
