// JSON nested deeper than the call stack: each has its own message, and received text is not lost.

import { appendFileSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { runInMemory } from '../support/in-memory.ts';
import { serviceAt, startSandboxCommand, temporaryHome } from '../support/natter.ts';
import { done, response } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';

const deep = '['.repeat(100_000) + ']'.repeat(100_000);

/** Short enough for the part of an error body that natter reads. */
const deepLocation = `[{"msg":"Field required","loc":["body",${'['.repeat(20_000)}${']'.repeat(20_000)}]}]`;

const json = (status: number, text: string) => [
  response(status, { 'content-type': 'application/json' }, Buffer.from(text)),
];

function write(name: string, ...lines: readonly string[]): string {
  const path = join(mkdtempSync(join(tmpdir(), 'natter-deep-')), name);
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  return path;
}

const unexpected = /unexpected error|call stack|unknown error|\n\s+at /;

test.each([
  ['in an error with a status', json(422, `{"detail":${deepLocation}}`), 7, 'body: Field required'],
  [
    'in an error with status 200',
    json(200, `{"error":${deepLocation}}`),
    9,
    'body: Field required',
  ],
  ['beside an error', json(400, `{"message":"no","x":${deep}}`), 7, ''],
])(
  'X5: a value 100,000 deep %s does not cause an unexpected error',
  async (_name, reply, code, message) => {
    const server = await serve([reply]);
    const env = { ...serviceAt(server), NATTER_RETRIES: '0' };
    const result = await runInMemory(['hi'], { env });
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
    expect(result.stderr).not.toMatch(unexpected);
  },
);

test.each([
  ['one JSON body', json(200, `{"choices":[{"message":{"content":"text"},"x":${deep}}]}`)],
  [
    'a stream',
    [
      response(
        200,
        { 'content-type': 'text/event-stream' },
        Buffer.from(
          `data: {"choices":[{"index":0,"delta":{"content":"text"},"x":${deep}}]}\n\n${done}`,
        ),
      ),
    ],
  ],
])('X5: text beside a field 100,000 deep is printed: %s', async (_name, reply) => {
  const server = await serve([reply]);
  const { stdout, stderr } = await runInMemory(['hi'], { env: serviceAt(server) });
  expect(stdout).toBe('text\n');
  expect(stderr).not.toMatch(unexpected);
});

test.each([
  [['models', 'get', 'origin'], `{"id":"origin","x":${deep}}`],
  [['models', 'get', 'origin', '--json'], `{"id":"origin","x":${deep}}`],
  [['models', 'list', '--json'], `{"data":[{"id":"origin","x":${deep}}]}`],
])('X5: a model record 100,000 deep is reported: %j', async (words, text) => {
  const server = await serve([json(200, text)]);
  const { code, stdout, stderr } = await runInMemory(words, { env: serviceAt(server) });
  expect(code).toBe(9);
  expect(stdout + stderr).toContain('is nested more than 500 deep');
  expect(stdout + stderr).not.toMatch(unexpected);
});

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
    [['--replay', recording, 'hi'], 3, 'is not part of a recording'],
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

test.each([
  ['without a key', undefined, 401],
  ['with a key', sandboxKey, 400],
])('X5: a request nested 8,000 deep %s does not stop the sandbox', async (_name, key, status) => {
  const { url } = await startSandboxCommand(['--log']);
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
  const asked = await runInMemory(['[sandbox echo] still here'], { env });
  expect(asked).toMatchObject({ code: 0, stdout: 'still here\n' });
});
