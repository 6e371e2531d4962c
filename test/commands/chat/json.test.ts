import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOf } from '../../support/folder.ts';
import { runInMemory } from '../../support/in-memory.ts';
import { jsonLines, temporaryHome } from '../../support/natter.ts';
import { response, streamed } from '../../support/raw-replies.ts';
import { runOn, serve } from '../../support/serve.ts';

const time = expect.any(Number) as number;
const conversationId = expect.stringMatching(/^[2-9a-z]{8}$/) as string;

const measured = { attempts: 1, timing: { first_text_ms: time, total_ms: time } };
const usage = { prompt_tokens: time, completion_tokens: 1, total_tokens: time };

test.each([
  ['streamed', []],
  ['non-streamed', ['--no-stream']],
])('--json prints one document for a %s answer', async (_name, flags) => {
  const words = ['--sandbox', '--json', '[sandbox echo]hello', ...flags];
  const { stdout, stderr } = await runInMemory(words);
  expect(stderr).toBe('');
  const id = expect.stringMatching(/^chatcmpl-/) as string;
  const answer = { id, model: 'origin', content: 'hello', finish_reason: 'stop', usage };
  const conversation = { id: conversationId, title: '[sandbox echo]hello' };
  expect(jsonLines(stdout)).toEqual([{ ...answer, ...measured, conversation }]);
});

test('Y3: --json of a refused prompt prints a document with the same error as standard error', async () => {
  const words = ['--sandbox', '--json', '--retries', '0', '[sandbox 429 retry-after=7]'];
  const { code, stdout, stderr } = await runInMemory(words);
  expect(code).toBe(8);
  const { error } = JSON.parse(stderr) as { error: object };
  const known = { kind: 'rate_limited', status: 429, retry_after: 7, attempts: 1 };
  expect(error).toMatchObject({ ...known, remedy: 'slow-down', request_id: expect.any(String) });
  const conversation = { id: conversationId, title: '[sandbox 429 retry-after=7]' };
  const document = { id: null, content: '', incomplete: true, conversation, error };
  expect(jsonLines(stdout)).toMatchObject([document]);
});

test.each(['--json', '--jsonl'])(
  'Y3: %s prints nothing on standard output for a prompt that is not sent',
  async (flag) => {
    const { code, stdout, stderr } = await runInMemory([flag, 'hi']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ error: { kind: 'configuration' } });
  },
);

test('--jsonl prints a line for each event as it arrives', async () => {
  const { code, stdout } = await runOn([[streamed('hel', 'lo')]], ['--jsonl', 'hi']);
  expect(code).toBe(0);
  const conversation = { id: conversationId, title: 'hi' };
  const end = { id: 'chatcmpl-1', finish_reason: null, usage: null, ...measured, conversation };
  expect(jsonLines(stdout)).toEqual([
    { type: 'answer-started', attempt: 1 },
    { type: 'answer-named', id: 'chatcmpl-1' },
    { type: 'text-received', text: 'hel' },
    { type: 'text-received', text: 'lo' },
    { type: 'answer-finished', ...end },
  ]);
});

test('--jsonl has a retry, and R31 standard error reports it too', async () => {
  const words = ['--sandbox', '--jsonl', '[sandbox 500 retry-after=0 times=1 echo]hello'];
  const { stdout, stderr } = await runInMemory(words);
  expect(jsonLines(stdout)[0]).toEqual({
    type: 'retry-scheduled',
    retry: 1,
    retries: 4,
    delay_ms: time,
    cause: { kind: 'server_error', status: 500, message: expect.any(String) as string },
  });
  expect(stderr).toMatch(/^natter: retry 1 of 4 now: .*\n$/);
});

interface DryRun {
  readonly request: { readonly url: string; readonly headers: object; readonly body: unknown };
  readonly estimate: { readonly tokens: number; readonly window: number | null };
  readonly profile: object;
  readonly settings: readonly { name: string; source: string }[];
}

async function dryRun(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await runInMemory([...words, '--dry-run'], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as DryRun;
}

test('shows the request that would be sent, with a masked key', async () => {
  const server = await serve([[streamed('Hello')]]);
  const service = { NATTER_BASE_URL: `${server.url}/a/v1/`, NATTER_API_KEY: 'nk-first-key-0001' };
  const env = { HOME: temporaryHome(), ...service };
  await runInMemory(['config', 'set', 'headers.x-team', 'blue'], { env });
  await runInMemory(['config', 'set', 'headers.x-team-token', 'hidden-token'], { env });
  const words = 'hi -s brief -t 50 --param temperature=0.2 -m nextgen'.split(' ');
  const dry = await dryRun(words, env);
  expect(server.connections()).toBe(0);
  await runInMemory(words, { env });
  const { method, path, body = '', headers = {} } = server.requests[0] ?? {};
  const request = { method, url: `${server.url}${path}`, body: JSON.parse(body) as object };
  expect(dry.request).toMatchObject(request);
  const { host: _host, connection: _connection, 'content-length': _length, ...compared } = headers;
  // The profile has no address, so its secret header is not sent.
  expect(dry.request.headers).toEqual({ ...compared, authorization: 'Bearer …0001' });
});

test('shows the estimate and the window', async () => {
  const { estimate } = await dryRun(['x'.repeat(400)]);
  expect(estimate).toEqual({ tokens: 104, window: 128_000 });
  expect((await dryRun(['hi', '-m', 'unheard-of'])).estimate.window).toBeNull();
});

test('shows the source of each setting', async () => {
  const env = { HOME: temporaryHome(), NATTER_RETRIES: '2' };
  await runInMemory(['config', 'set', 'system', 'Be brief.'], { env });
  const { settings, profile } = await dryRun(['hi', '-m', 'nextgen', '--param', 'n=1'], env);
  const sources = Object.fromEntries(settings.map(({ name, source }) => [name, source]));
  const options = { model: 'flag --model', 'params.n': 'flag --param', timeout: 'default' };
  const others = { retries: 'environment NATTER_RETRIES', system: 'profile default' };
  expect(sources).toMatchObject({ ...options, ...others });
  expect(profile).toEqual({ name: 'default', source: 'default' });
});

test.each([
  ['needs no service and no key', [], {}, '{base_url}', undefined],
  ['uses no key for --sandbox', ['--sandbox'], { NATTER_API_KEY: 'nk-1' }, '{sandbox}', 'Bearer …'],
])('%s', async (_, words, env, address, authorization) => {
  const { request } = await dryRun(['hi', ...words], env);
  expect(request.url).toBe(`${address}/v1/chat/completions`);
  expect((request.headers as { authorization?: string }).authorization).toBe(authorization);
});

const deep = '['.repeat(100_000) + ']'.repeat(100_000);

/** Short enough for the part of an error body that natter reads. */
const deepLocation = `[{"msg":"Field required","loc":["body",${'['.repeat(20_000)}${']'.repeat(20_000)}]}]`;

const json = (status: number, text: string) => [
  response(status, { 'content-type': 'application/json' }, Buffer.from(text)),
];

const write = (name: string, ...lines: readonly string[]) =>
  join(folderOf({ [name]: lines.map((line) => `${line}\n`).join('') }), name);

const unexpected = /unexpected error|call stack|unknown error|\n\s+at /;

test.each([
  ['in an error with a status', json(422, `{"detail":${deepLocation}}`), 7, 'body: Field required'],
  ['in an error with 200', json(200, `{"error":${deepLocation}}`), 9, 'body: Field required'],
  ['beside an error', json(400, `{"message":"no","x":${deep}}`), 7, ''],
])(
  'X5: a value 100,000 deep %s does not cause an unexpected error',
  async (_name, reply, code, message) => {
    const result = await runOn([reply], ['hi'], { env: { NATTER_RETRIES: '0' } });
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
    expect(result.stderr).not.toMatch(unexpected);
  },
);

test('X5: deep values in a batch item, a scenario, a recording, results and --param are reported', async () => {
  const items = write('items.jsonl', '{"x":"a"}', `{"prompt":"b","x":${deep}}`);
  const scenario = write('scenario.json', `{"rules":[{"body":${deep}}]}`);
  const recording = write(
    'tape.jsonl',
    '{"format":"natter-recording","version":1}',
    `{"exchange":1,"type":"request","method":"POST","path":"/v1/chat/completions","body":${deep}}`,
  );
  const results = write('results.jsonl', `{"index":1,"x":${deep}}`);
  const depth = 'is nested more than 500 deep';
  const param = `x=${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  const runs: readonly (readonly [readonly string[], number, string])[] = [
    [['--sandbox', 'batch', items, '--template', '{{x}}'], 2, depth],
    [['sandbox', '--scenario', scenario], 2, depth],
    [['--replay', recording, 'hi'], 3, 'could not be read'],
    [['--sandbox', 'batch', items, '-o', results], 2, 'is not a result of natter batch'],
    [['--sandbox', 'hi', '--param', param], 2, depth],
    [['config', 'set', 'params.x', param.slice(2)], 2, depth],
  ];
  for (const [words, code, message] of runs) {
    const result = await runInMemory(words);
    expect(result).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect(result.stderr).not.toMatch(unexpected);
  }
});

test('X5: a deep line of a conversation is skipped, and the others are shown', async () => {
  const env = { HOME: temporaryHome() };
  await runInMemory(['--sandbox', 'first'], { env });
  const files = readdirSync(env.HOME, { recursive: true, encoding: 'utf8' });
  const file = files.find((name) => /conversations.*\.jsonl$/.test(name)) ?? '';
  appendFileSync(join(env.HOME, file), `{"type":"x","y":${deep}}\n`);
  const { code, stdout, stderr } = await runInMemory(['conversations', 'show', 'latest'], { env });
  expect(code).toBe(0);
  expect(stdout).toContain('first');
  expect(stderr).not.toMatch(unexpected);
});
