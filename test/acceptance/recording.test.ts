import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  date,
  newPath,
  readRecordedLines,
  writeRecording,
} from '../recording/recording-fixtures.ts';
import { runInMemory } from '../support/in-memory.ts';
import { serviceAt, startNatter, temporaryHome } from '../support/natter.ts';
import {
  choice,
  chunk,
  delta,
  done,
  json,
  lastChunk,
  streamHead,
  streamed,
} from '../support/raw-replies.ts';
import { keys, leave, openRepl, sharedHome } from '../support/repl-terminal.ts';
import { expectNoSecret, secretForms, secretKey } from '../support/secret.ts';
import { serve } from '../support/serve.ts';
import { openTerminal } from '../support/terminal.ts';

async function recordedTape(...prompts: readonly string[]): Promise<string> {
  const tape = newPath();
  for (const prompt of prompts) await runInMemory(['--sandbox', '--record', tape, prompt]);
  return tape;
}

test('a recording needs no key, address or network', async () => {
  const server = await serve([[streamed('not this')]]);
  const tape = await recordedTape('[sandbox echo] from the tape');
  const words = ['--replay', tape, '[sandbox echo] from the tape'];
  const alone = await runInMemory(words);
  const configured = await runInMemory(words, { env: serviceAt(server) });
  expect([alone.stdout, configured.stdout]).toEqual(['from the tape\n', 'from the tape\n']);
  expect([alone.stderr, configured.stderr]).toEqual(['', '']);
  expect(server.connections()).toBe(0);
});

test('a request that was not recorded fails with exit code 3 and the closest difference', async () => {
  const tape = await recordedTape('[sandbox echo] hello');
  const { code, stdout, stderr } = await runInMemory(['--replay', tape, '[sandbox echo] hallo']);
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toContain(
    'messages[0].content is "[sandbox echo] hallo", but "[sandbox echo] hello" in exchange 1',
  );
  const other = await runInMemory([
    '--replay',
    tape,
    '--json',
    '-m',
    'nextgen',
    '[sandbox echo] hello',
  ]);
  expect(JSON.parse(other.stderr)).toMatchObject({
    error: {
      kind: 'configuration',
      message: expect.stringContaining('model is "nextgen", but "origin" in exchange 1'),
    },
  });
});

test.each([
  ['--record and --replay together', ['--record', 'a', '--replay', 'b', 'hi'], 2],
  ['--speed alone', ['--sandbox', '--speed', '2', 'hi'], 2],
  ['a missing recording', ['--replay', 'none.jsonl', 'hi'], 3],
  ['a login', ['auth', 'login', '--replay', 'none.jsonl'], 2],
])('%s is refused', async (_, words, code) => {
  const result = await runInMemory(words, { cwd: temporaryHome() });
  expect(result.code).toBe(code);
  expect(result.stderr).toMatch(/^natter: .*\n {2}\S/);
});

test('a file that is not a recording stays unchanged, and nothing is sent', async () => {
  const server = await serve([[streamed('hi')]]);
  const path = newPath('notes.txt');
  writeFileSync(path, 'my notes\n');
  const { code, stderr } = await runInMemory(['--record', path, 'hi'], { env: serviceAt(server) });
  expect(code).toBe(3);
  expect(stderr).toContain('notes.txt is not a recording of natter');
  expect(readFileSync(path, 'utf8')).toBe('my notes\n');
  expect(server.connections()).toBe(0);
});

test('a dry run records nothing and needs no recording', async () => {
  const path = newPath();
  const { code } = await runInMemory(['--sandbox', '--dry-run', '--record', path, 'hi']);
  expect({ code, exists: existsSync(path) }).toEqual({ code: 0, exists: false });
});

test('K8 a recording has neither the key nor the header of a profile, even if the service sends them back', async () => {
  const header = 'profile-header-secret';
  const server = await serve([
    [json(401, { error: { message: `${secretForms.join(' ')} ${header}` } }, { 'x-echo': header })],
  ]);
  const tape = newPath();
  const home = { HOME: temporaryHome() };
  const set = async (name: string, value: string) =>
    runInMemory(['config', 'set', name, value], { env: home });
  await set('base-url', server.url);
  await set('headers.x-team-token', header);
  const env = { ...home, NATTER_API_KEY: secretKey };
  expect(
    (await runInMemory(['--base-url', server.url, '--record', tape, 'hi'], { env })).code,
  ).toBe(4);
  const text = readFileSync(tape, 'utf8');
  expect(text).toContain('***');
  expect(text).not.toContain('authorization');
  expectNoSecret(text);
  expect(server.requests[0]?.headers['x-team-token']).toBe(header);
  expect(text).not.toContain(header);
});

test('F4 a key that arrives in pieces is neither in a recording nor in what its replay prints', async () => {
  const pieces = ['key: nk-4/Z', 'x9+Qw7==To', 'pSecret.'];
  const parts = pieces.map((text) => choice({ delta: { content: [{ type: 'text', text }] } }));
  const body = parts.join('').replaceAll('data: ', 'data:\t').replaceAll('\n', '\r');
  const server = await serve([[streamHead(), chunk(body), chunk(done), lastChunk]]);
  const tape = newPath();
  const env = { ...serviceAt(server), NATTER_API_KEY: secretKey };
  const live = await runInMemory(['--record', tape, 'hi'], { env });
  expect(live.stdout).toBe('key: ***.\n');
  const taped = readFileSync(tape, 'utf8');
  for (const piece of ['nk-4', 'x9+Qw7', 'pSecret']) expect(taped).not.toContain(piece);
  const replayed = await runInMemory(['--replay', tape, 'hi']);
  expect({ code: replayed.code, stdout: replayed.stdout }).toEqual({
    code: 0,
    stdout: live.stdout,
  });
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

test('D1 natter killed during a recording leaves a recording of everything received', async () => {
  const tape = newPath();
  const server = await serve([[streamHead(), chunk(delta('all that ')), chunk(delta('came'))]]);
  const running = startNatter(['--record', tape, 'hi'], { env: serviceAt(server) });
  await running.waitFor('stdout', /all that came/);
  running.child.kill('SIGKILL');
  await running.result;
  const { code, stdout, stderr } = await runInMemory(['--replay', tape, 'hi']);
  expect({ code, stdout }).toEqual({ code: 11, stdout: 'all that came\n' });
  expect(stderr).toContain('exchange 1 of the recording was stopped before the answer ended');
  await runInMemory(['--sandbox', '--record', tape, '[sandbox echo] on']);
  expect((await runInMemory(['--replay', tape, '[sandbox echo] on'])).stdout).toBe('on\n');
});

test('P5 Ctrl+C ends the exchange of a recording, and ends a replay', async () => {
  const tape = newPath();
  const prompt = '[sandbox tokens=500 rate=50]';
  const live = startNatter(['--sandbox', '--record', tape, prompt]);
  await live.waitFor('stdout', /\w+ \w+ \w+/);
  live.child.kill('SIGINT');
  expect((await live.result).signal).toBe('SIGINT');
  expect(readRecordedLines(tape).at(-1)).toMatchObject({ type: 'stopped' });
  const replay = startNatter(['--replay', tape, '--speed', '0.1', prompt]);
  await replay.waitFor('stdout', /\w/);
  replay.child.kill('SIGINT');
  expect((await replay.result).signal).toBe('SIGINT');
});

test('unreadable lines cause a warning, and the rest of the recording is used', async () => {
  const tape = writeRecording(
    { exchange: 1, type: 'request', date, method: 'GET', path: '/v1/models' },
    'a note',
    { exchange: 1, type: 'response', status: 200 },
    { exchange: 1, type: 'bytes', text: '{"data":[{"id":"by-hand"}]}' },
    { exchange: 1, type: 'end' },
  );
  const { stdout, stderr } = await runInMemory(['--replay', tape, 'models', 'list']);
  expect(stdout).toContain('by-hand');
  expect(stderr).toBe(
    `natter: warning: line 3 of ${tape} is not part of a recording and is skipped\n`,
  );
});

test('on a terminal, notices report a recording and a replay', async () => {
  const tape = newPath();
  const words = ['[sandbox echo] hello'];
  const live = openTerminal(['--sandbox', '--record', tape, ...words], { columns: 200 });
  await live.exit;
  expect(await live.transcript()).toContain(`natter: recording into ${tape}`);
  const replay = openTerminal(['--replay', tape, ...words], { columns: 200 });
  await replay.exit;
  expect(await replay.transcript()).toContain(`natter: replayed from ${tape}`);
});

test('a key entered in a replayed conversation is not stored', async () => {
  const ask = { method: 'POST', path: '/v1/chat/completions', type: 'request' };
  const body = { model: 'origin', messages: [{ role: 'user', content: 'hi' }], stream: true };
  const headers = { 'content-type': 'text/event-stream' };
  const tape = writeRecording(
    { exchange: 1, ...ask, body },
    { exchange: 1, type: 'response', status: 401 },
    { exchange: 1, type: 'end' },
    { exchange: 2, type: 'request', method: 'GET', path: '/v1/models' },
    { exchange: 2, type: 'response', status: 200 },
    { exchange: 2, type: 'bytes', text: '{"data":[{"id":"origin"}]}' },
    { exchange: 2, type: 'end' },
    { exchange: 3, ...ask, body },
    { exchange: 3, type: 'response', status: 200, headers },
    { exchange: 3, type: 'bytes', text: `${delta('now it works')}data: [DONE]\n\n` },
  );
  const home = sharedHome();
  const terminal = await openRepl(['--replay', tape, '--speed', 'max'], {
    env: home,
    columns: 120,
  });
  terminal.type(`hi${keys.enter}`);
  await terminal.waitFor(/key/i);
  terminal.type(`${secretKey}${keys.enter}`);
  await terminal.waitFor(/the service is now/);
  terminal.type(`/retry${keys.enter}`);
  const text = await terminal.waitFor(/now it works/);
  expect(await leave(terminal)).toBe(0);
  expectNoSecret(text);
  expect(existsSync(`${home.HOME}/.config/natter`)).toBe(false);
});
