import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { replyNames } from '../../src/sandbox/faults/fault-fields.ts';
import { newPath, readRecordedLines } from '../recording/recording-fixtures.ts';
import { expectFailure, runInMemory } from '../support/in-memory.ts';
import { type RunResult, serviceAt, temporaryHome } from '../support/natter.ts';
import { json, streamed } from '../support/raw-replies.ts';
import { runOn, serve } from '../support/serve.ts';

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

/** Groups that request a fault: of each kind one, because bytes are recorded as they are. */
const faults = [
  ...[204, 400, 401, 404, 429, 503].map((status) => `${status}`),
  'status=302 headers="location: /elsewhere?token=1"',
  '429 times=1 retry-after=0',
  '429 retry-after=120',
  '500 times=1',
  '400 error-shape=text',
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
  'malformed-at=3 malformed-as=utf8 tokens=10',
  'error-at=3 error-as=event tokens=10',
  'error-at=1',
  'no-done no-finish-reason tokens=10',
  'after-done hold-open tokens=10',
  'split=bytes/7 eol=mixed bom=2 comments unicode',
  'reasoning tokens=10',
  'refusal',
];

test.each([...replies, ...faults])(
  'D21 [sandbox %s] is the same replayed as live',
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

test('a replay divides the reasoning at the start of an answer, as the recorded run did', async () => {
  const tape = newPath();
  const words = ['--reasoning', 'hi'];
  const answer = [[streamed('<think>hm</think>', 'Hello')]];
  const live = await runOn(answer, ['--record', tape, ...words]);
  const replayed = await runInMemory(['--replay', tape, '--speed', 'max', ...words]);
  expect(live).toMatchObject({ code: 0, stdout: 'Hello\n', stderr: expect.stringContaining('hm') });
  expect(seen(replayed)).toEqual(seen(live));
});

async function recordedTape(...prompts: readonly string[]): Promise<string> {
  const tape = newPath();
  for (const prompt of prompts) await runInMemory(['--sandbox', '--record', tape, prompt]);
  return tape;
}

test('a recording needs no key, address or network', async () => {
  const tape = await recordedTape('[sandbox echo] from the tape');
  const words = ['--replay', tape, '[sandbox echo] from the tape'];
  const alone = await runInMemory(words);
  const configured = await runOn([[streamed('not this')]], words);
  expect([alone.stdout, configured.stdout]).toEqual(['from the tape\n', 'from the tape\n']);
  expect([alone.stderr, configured.stderr]).toEqual(['', '']);
  expect(configured.server.connections()).toBe(0);
});

test('a request that was not recorded fails with exit code 3 and the closest difference', async () => {
  const tape = await recordedTape('[sandbox echo] hello');
  expectFailure(
    await runInMemory(['--replay', tape, '[sandbox echo] hallo']),
    3,
    'messages[0].content is "[sandbox echo] hallo", but "[sandbox echo] hello" in exchange 1',
  );
});

test.each([
  ['a missing recording', ['--replay', 'none.jsonl', 'hi'], 3],
  ['a login', ['auth', 'login', '--replay', 'none.jsonl'], 2],
])('%s is refused', async (_, words, code) => {
  expectFailure(await runInMemory(words, { cwd: temporaryHome() }), code, /^natter: .*\n {2}\S/);
});

test('a dry run records nothing and needs no recording', async () => {
  const path = newPath();
  const { code } = await runInMemory(['--sandbox', '--dry-run', '--record', path, 'hi']);
  expect({ code, exists: existsSync(path) }).toEqual({ code: 0, exists: false });
});

test('variables record and replay the natter commands of an unchanged script', async () => {
  const tape = newPath();
  const script = async (env: Readonly<Record<string, string>>) => [
    await runInMemory(['--sandbox', '[sandbox echo] one'], { env }),
    await runInMemory(['--sandbox', 'models', 'list', '--json'], { env }),
  ];
  const live = await script({ NATTER_RECORD: tape });
  expect(live[1]?.stdout).toContain('"nextgen"');
  const requests = readRecordedLines(tape).filter(({ type }) => type === 'request');
  expect(requests.map(({ exchange }) => exchange)).toEqual([1, 2]);
  expect(await script({ NATTER_REPLAY: tape, NATTER_REPLAY_SPEED: 'max' })).toEqual(live);
});

test('commands that share NATTER_REPLAY_USED use each recorded answer once', async () => {
  const server = await serve([[json(429, {})], [streamed('at last')]]);
  const [tape, used] = [newPath(), newPath('used')];
  const run = async (env: Readonly<Record<string, string>>) =>
    (await runInMemory(['--retries', '0', 'hi'], { env })).code;
  const live = { ...serviceAt(server), NATTER_RECORD: tape };
  expect([await run(live), await run(live)]).toEqual([8, 0]);
  const alone = { NATTER_REPLAY: tape };
  expect([await run(alone), await run(alone)]).toEqual([8, 8]);
  const shared = { ...alone, NATTER_REPLAY_USED: used };
  expect([await run(shared), await run(shared), await run(shared)]).toEqual([8, 0, 3]);
});

test('auth status reports that answers are from a recording', async () => {
  const env = { NATTER_BASE_URL: 'http://127.0.0.1:1', NATTER_REPLAY: 'tape.jsonl' };
  const { stdout, stderr } = await runInMemory(['auth', 'status'], { env });
  expect(stdout).toContain('http://127.0.0.1:1');
  expect(stderr).toContain('answers come from the recording tape.jsonl, not from a service');
});

test('compared models share a recording, even with different profiles', async () => {
  const server = await serve([[streamed('one')], [streamed('two')]]);
  const home = { HOME: temporaryHome() };
  for (const profile of ['default', 'work']) {
    const words = ['config', 'set', 'base-url', server.url, '--profile', profile];
    await runInMemory(words, { env: home });
  }
  const tape = newPath();
  const words = ['compare', '-m', 'origin,work:origin', 'hi'];
  const live = await runInMemory([...words, '--record', tape], { env: home });
  expect(live.stdout.match(/^(one|two)$/gm)).toHaveLength(2);
  const replayed = await runInMemory([...words, '--replay', tape], { env: home });
  expect(replayed.stdout.match(/^(one|two)$/gm)?.sort()).toEqual(['one', 'two']);
});
