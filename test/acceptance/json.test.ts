import { describe, expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { jsonLines, serviceAt, startNatter } from '../support/natter.ts';
import { chunk, delta, event, streamed, streamHead } from '../support/raw-replies.ts';
import { fin } from '../support/raw-server.ts';
import { serve } from '../support/serve.ts';

const time = expect.any(Number) as number;
const usage = { prompt_tokens: time, completion_tokens: 1, total_tokens: time };

test.each([
  ['streamed', []],
  ['non-streamed', ['--no-stream']],
])('--json prints one document for a %s answer', async (_name, flags) => {
  const words = ['--sandbox', '--json', '[sandbox echo]hello', ...flags];
  const { code, stdout, stderr } = await runInMemory(words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(jsonLines(stdout)).toEqual([
    {
      id: expect.stringMatching(/^chatcmpl-/) as string,
      model: 'origin',
      content: 'hello',
      finish_reason: 'stop',
      usage,
      attempts: 1,
      timing: { first_text_ms: time, total_ms: time },
    },
  ]);
});

test('--json has null for values the service did not report', async () => {
  const server = await serve([[streamed('hello')]]);
  const { stdout } = await runInMemory(['--json', '-m', 'nextgen', 'hi'], {
    env: serviceAt(server),
  });
  expect(JSON.parse(stdout)).toMatchObject({
    model: 'nextgen',
    content: 'hello',
    finish_reason: null,
    usage: null,
  });
});

test('Y3: --json of a refused prompt prints a document with the same error as standard error', async () => {
  const words = ['--sandbox', '--json', '--retries', '0', '[sandbox 429 retry-after=7]'];
  const { code, stdout, stderr } = await runInMemory(words);
  expect(code).toBe(8);
  const error = {
    kind: 'rate_limited',
    status: 429,
    message: expect.stringContaining('(429)') as string,
    hint: expect.any(String) as string,
    remedy: 'slow-down',
    retry_after: 7,
    request_id: expect.any(String) as string,
    attempts: 1,
  };
  expect(jsonLines(stderr)).toEqual([{ error }]);
  expect(jsonLines(stdout)).toEqual([
    {
      id: null,
      model: 'origin',
      content: '',
      finish_reason: null,
      usage: null,
      attempts: 1,
      timing: { total_ms: time },
      incomplete: true,
      error,
    },
  ]);
});

test.each(['--json', '--jsonl'])(
  'Y3: %s prints nothing on standard output for a prompt that is not sent',
  async (flag) => {
    const { code, stdout, stderr } = await runInMemory([flag, 'hi']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ error: { kind: 'configuration' } });
  },
);

const measured = { attempts: 1, timing: { first_text_ms: time, total_ms: time } };

// On Windows, a signal from another process ends natter without a handler.
const signals = process.platform === 'win32' ? [] : (['SIGINT', 'SIGTERM', 'SIGHUP'] as const);

describe.each(signals)('Y3: after %s', (signal) => {
  const stopped = { kind: 'incomplete', message: expect.stringContaining('stopped') as string };

  test.each(['--json', '--jsonl'])('%s ends properly, with the text received', async (flag) => {
    const thought = event({ choices: [{ index: 0, delta: { reasoning: 'hmm' } }] });
    const server = await serve([[streamHead(), chunk(thought + delta('hel'))]]);
    const natter = startNatter([flag, '--reasoning', 'hi'], { env: serviceAt(server) });
    await natter.waitFor('stderr', /hmm/);
    natter.child.kill(signal);
    const result = await natter.result;
    expect(result.signal).toBe(signal);
    const last = jsonLines(result.stdout).at(-1);
    expect(last).toMatchObject({ ...measured, error: stopped });
    expect(last).toMatchObject(
      flag === '--json' ? { content: 'hel', incomplete: true } : { type: 'answer-failed' },
    );
  });
});

test.each(['--json', '--jsonl'])(
  'Y3: compare %s has the attempts and times of a cut answer',
  async (flag) => {
    const words = ['compare', '--sandbox', flag, '[sandbox echo fin cut-after=1] one two'];
    const { code, stdout } = await runInMemory(words);
    expect(code).toBe(11);
    const cut = { ...measured, error: { kind: 'incomplete' } };
    expect(jsonLines(stdout).at(-1)).toMatchObject(
      flag === '--json' ? { answers: [cut, cut] } : cut,
    );
  },
);

test('Y3: batch has the attempts and times of a cut answer', async () => {
  const input = '[sandbox echo fin cut-after=1] one two';
  const { code, stdout } = await runInMemory(['batch', '-', '--sandbox'], { input });
  expect(code).toBe(75);
  expect(JSON.parse(stdout)).toMatchObject({ ...measured, error: { kind: 'incomplete' } });
});

test.each(['--json', '--jsonl'])('Y3: %s ends properly after a time limit', async (flag) => {
  const server = await serve([[streamHead(), chunk(delta('hel'))]]);
  const words = [flag, '--timeout', '500ms', 'hi'];
  const { code, stdout } = await runInMemory(words, { env: serviceAt(server) });
  expect(code).toBe(11);
  expect(jsonLines(stdout).at(-1)).toMatchObject({ ...measured, error: { kind: 'incomplete' } });
});

test('S31 --json has a refusal separately from the content', async () => {
  const words = ['--sandbox', '--json', '[sandbox refusal echo]I will not'];
  const { code, stdout } = await runInMemory(words);
  expect(code).toBe(14);
  expect(JSON.parse(stdout)).toMatchObject({
    content: '',
    refusal: 'I will not',
    error: { kind: 'no_answer' },
  });
});

test('--json of a cut answer prints its text, marked incomplete', async () => {
  const server = await serve([[streamHead(), chunk(delta('hel')), fin]]);
  const { code, stdout, stderr } = await runInMemory(['--json', 'hi'], { env: serviceAt(server) });
  expect(code).toBe(11);
  expect(JSON.parse(stdout)).toMatchObject({
    id: 'chatcmpl-1',
    content: 'hel',
    ...measured,
    incomplete: true,
    error: { kind: 'incomplete' },
  });
  expect(JSON.parse(stderr)).toMatchObject({ error: { kind: 'incomplete' } });
});

test('--jsonl prints a line for each event as it arrives', async () => {
  const server = await serve([[streamed('hel', 'lo')]]);
  const { code, stdout } = await runInMemory(['--jsonl', 'hi'], { env: serviceAt(server) });
  expect(code).toBe(0);
  expect(jsonLines(stdout)).toEqual([
    { type: 'answer-started', attempt: 1 },
    { type: 'answer-named', id: 'chatcmpl-1' },
    { type: 'text-received', text: 'hel' },
    { type: 'text-received', text: 'lo' },
    {
      type: 'answer-finished',
      id: 'chatcmpl-1',
      finish_reason: null,
      usage: null,
      attempts: 1,
      timing: { first_text_ms: time, total_ms: time },
    },
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

test('--jsonl of a cut answer ends with the failure', async () => {
  const server = await serve([[streamHead(), chunk(delta('hel')), fin]]);
  const { code, stdout } = await runInMemory(['--jsonl', 'hi'], { env: serviceAt(server) });
  expect(code).toBe(11);
  expect(jsonLines(stdout).at(-1)).toMatchObject({
    type: 'answer-failed',
    ...measured,
    error: { kind: 'incomplete', message: expect.stringMatching(/incomplete/) as string },
  });
});

test.each(['--json', '--jsonl'])(
  'T16 %s escapes control characters, and loses none',
  async (flag) => {
    const hostile = '\u001B]0;x\u0007 \u009B31m \u007F \u202E \u200B \u2028 \uFEFF';
    const server = await serve([[streamed(hostile)]]);
    const { stdout } = await runInMemory([flag, 'hi'], { env: serviceAt(server) });
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E\u200B\u2028\uFEFF]/);
    const texts = (jsonLines(stdout) as { content?: string; text?: string }[])
      .map(({ content, text }) => content ?? text ?? '')
      .join('');
    expect(texts).toBe(hostile);
  },
);

test.each([
  ['--json', '--jsonl'],
  ['--json', '--plain'],
  ['--raw', '--markdown'],
])('%s and %s cannot be used together', async (first, second) => {
  const { code, stdout, stderr } = await runInMemory(['--sandbox', first, second, 'hi']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/cannot be used together/);
});
