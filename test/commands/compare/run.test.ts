import { describe, expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../../../src/cli/program.ts';
import { parseScenario } from '../../../src/sandbox/faults/fault-rules.ts';
import { sandboxKey } from '../../../src/sandbox/keys.ts';
import { startSandbox } from '../../../src/sandbox/server.ts';
import { createMemoryContext, type MemoryOptions } from '../../support/memory-context.ts';
import { serviceAt } from '../../support/natter.ts';
import { json } from '../../support/raw-replies.ts';
import { serve } from '../../support/serve.ts';

/** Runs `natter compare` with a sandbox. @returns the output and the thrown error */
async function compare(
  words: readonly string[],
  options: MemoryOptions = {},
  rules: readonly object[] = [],
) {
  const faults = parseScenario(JSON.stringify({ rules }), 'rules');
  const sandbox = await startSandbox({ faults });
  onTestFinished(() => sandbox.close());
  const service = { NATTER_BASE_URL: sandbox.url, NATTER_API_KEY: sandboxKey };
  const once = { NATTER_SAVE: 'false', NATTER_RETRIES: '0', NO_COLOR: '1' };
  const { context, stdout, stderr } = createMemoryContext({
    ...options,
    environment: { ...once, ...service, ...options.environment },
  });
  const thrown: unknown = await runProgram(context, ['compare', ...words]).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { thrown, stdout: stdout(), stderr: stderr() };
}

const completion = { choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] };

const headings = (text: string) => [...text.matchAll(/^==> (.*) <==$/gm)].map((found) => found[1]);

test.each<[string, readonly string[], MemoryOptions, readonly string[]]>([
  ['both published models', ['[sandbox echo] hi'], {}, ['origin', 'nextgen']],
  ['the named models', ['-m', 'nextgen,origin', '[sandbox echo] hi'], {}, ['nextgen', 'origin']],
  [
    'the same model twice',
    ['-m', 'origin,origin', '[sandbox echo] hi'],
    {},
    ['origin', 'origin (2)'],
  ],
  ['standard input', [], { input: ['[sandbox echo] hi'] }, ['origin', 'nextgen']],
  [
    'a narrow terminal',
    ['--no-stdin', '[sandbox echo] hi'],
    { terminals: ['stdout'] },
    ['origin', 'nextgen'],
  ],
  [
    'a wide terminal on request',
    ['--stacked', '--no-stdin', '[sandbox echo] hi'],
    { terminals: ['stdout'], columns: 200 },
    ['origin', 'nextgen'],
  ],
])('%s', async (_, words, given, expected) => {
  const options = { columns: 50, ...given };
  const { thrown, stdout } = await compare(words, options);
  expect(thrown).toBeUndefined();
  expect(headings(stdout)).toEqual(expected);
  expect(stdout.match(/\bhi$/gm)).toHaveLength(2);
});

test('without a prompt, the hint is an example', async () => {
  const { thrown } = await compare(['--no-stdin']);
  expect(thrown).toMatchObject({
    kind: 'usage',
    hint: 'for example: natter compare "why is the sky blue?"',
  });
});

test('figures are printed on standard error, and not with --quiet', async () => {
  const shown = await compare(['[sandbox echo] hi']);
  expect(shown.stderr).toMatch(/^origin\t\d+ ms\t-\t\d+\t\d+\t\d+ ms\tstop\nnextgen\t.*\n$/);
  expect((await compare(['--quiet', '[sandbox echo] hi'])).stderr).toBe('');
});

test('-s, -t, --param and --no-stream go into each request', async () => {
  const server = await serve([[json(200, completion)]]);
  const words = [
    '-m',
    'origin,nextgen',
    '-s',
    'brief',
    '-t',
    '3',
    '--param',
    'seed=1',
    '--no-stream',
    'hello',
  ];
  const { thrown } = await compare(words, { environment: serviceAt(server) });
  expect(thrown).toBeUndefined();
  const bodies = server.requests.map(({ body }) => JSON.parse(body) as { model: string });
  const messages = [
    { role: 'system', content: 'brief' },
    { role: 'user', content: 'hello' },
  ];
  expect(bodies.toSorted((one, other) => one.model.localeCompare(other.model))).toEqual([
    { model: 'nextgen', messages, max_tokens: 3, seed: 1 },
    { model: 'origin', messages, max_tokens: 3, seed: 1 },
  ]);
});

test('--dry-run prints each request and sends none', async () => {
  const server = await serve([]);
  const words = ['--dry-run', '-s', 'brief', '-m', 'origin,nextgen', 'hello'];
  const { thrown, stdout } = await compare(words, { environment: serviceAt(server) });
  expect(thrown).toBeUndefined();
  expect(server.connections()).toBe(0);
  const url = `${server.url}/v1/chat/completions`;
  const messages = [
    { role: 'system', content: 'brief' },
    { role: 'user', content: 'hello' },
  ];
  expect(JSON.parse(stdout)).toMatchObject({
    requests: ['origin', 'nextgen'].map((model) => ({
      asked: model,
      request: { method: 'POST', url, body: { model, messages, stream: true } },
      estimate: { window: expect.any(Number) as number },
      profile: { name: 'default' },
    })),
  });
});

describe('--diff', () => {
  test('shows the words that differ from the first answer', async () => {
    const { stdout } = await compare(['--diff', 'hello']);
    expect(headings(stdout).at(-1)).toBe('differences between origin and nextgen');
    expect(stdout).toContain('`[-origin-]{+nextgen+}`');
  });

  test('prints that there are none', async () => {
    const { stdout } = await compare(['--diff', '[sandbox echo] hi']);
    expect(stdout).toMatch(/differences between origin and nextgen <==\nno differences\n$/);
  });

  test('is not shown for answers that differ too much', async () => {
    const faults = ['origin', 'nextgen'].map((model, seed) => ({
      when: { model },
      reply: 'tokens',
      tokens: 20_000,
      seed,
    }));
    const { stdout, stderr } = await compare(['--diff', 'hi'], {}, faults);
    expect(headings(stdout)).toEqual(['origin', 'nextgen']);
    expect(stderr).toContain(
      'origin and nextgen differ in more than 2,000 words; no diff is shown',
    );
  });

  test('prints no control sequences', async () => {
    const terminals = ['stdout'] as const;
    const words = ['--diff', '--no-stdin', '[sandbox hostile] hi'];
    const { stdout } = await compare(words, { terminals, columns: 50 });
    expect(stdout).not.toContain('\u001B');
    expect(stdout).not.toContain('\u009B');
  });

  test.each(['--json', '--jsonl'])('excludes %s', async (format) => {
    const { thrown } = await compare(['--diff', format, 'hi']);
    expect(thrown).toMatchObject({
      kind: 'usage',
      message: `--diff and ${format} cannot be used together`,
    });
  });
});

test('a model that fails without any text is not reported as empty', async () => {
  const { stderr } = await compare(['-m', 'origin,other', '[sandbox echo] hi']);
  expect(stderr).not.toContain('the answer is empty');
});

test('S31 a refusal is printed with its model, in JSON as a field', async () => {
  const prompt = '[sandbox refusal echo] I will not';
  const { stderr } = await compare([prompt]);
  expect(stderr).toContain('nextgen: the model refused: I will not');
  expect(stderr).not.toContain('the answer is empty');
  const { answers } = JSON.parse((await compare(['--json', prompt])).stdout) as {
    answers: readonly object[];
  };
  const refused = { content: '', refusal: 'I will not' };
  expect(answers).toMatchObject([refused, refused]);
});

describe('--json', () => {
  test('is one document of all answers in order', async () => {
    const { stdout, stderr } = await compare(['--json', '[sandbox echo] hi']);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({
      answers: ['origin', 'nextgen'].map((model) => ({
        asked: model,
        model,
        content: 'hi',
        finish_reason: 'stop',
        attempts: 1,
        timing: { total_ms: expect.any(Number) as number },
        tokens_per_second: null,
      })),
    });
  });

  test('has the failure of a model beside the other answers', async () => {
    const { thrown, stdout } = await compare(['--json', '-m', 'origin,other', '[sandbox echo] hi']);
    expect(thrown).toMatchObject({ kind: 'not_found' });
    const { answers } = JSON.parse(stdout) as { answers: readonly object[] };
    expect(answers).toMatchObject([
      { asked: 'origin', content: 'hi' },
      { asked: 'other', content: '', incomplete: true, error: { kind: 'not_found', status: 404 } },
    ]);
  });

  test('--jsonl has the requested model in each event', async () => {
    const { stdout } = await compare(['--jsonl', '-m', 'origin,other', '[sandbox echo] hi']);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const of = (asked: string) => lines.filter((line) => line['asked'] === asked);
    expect(of('origin').map((line) => line['type'])).toEqual([
      'answer-started',
      'answer-named',
      'text-received',
      'answer-finished',
    ]);
    expect(of('other')).toMatchObject([{ type: 'answer-failed', error: { kind: 'not_found' } }]);
  });
});

describe('a model that fails', () => {
  test('does not affect the other answers, and ends the run with its failure', async () => {
    const { thrown, stdout, stderr } = await compare(['-m', 'other,origin', '[sandbox echo] hi']);
    expect(headings(stdout)).toEqual(['origin']);
    expect(thrown).toMatchObject({ kind: 'not_found', status: 404 });
    expect((thrown as Error).message).toMatch(/^other: /);
    expect(stderr).toMatch(/^other\t-\t-\t-\t~0\t\d+ ms\tnot_found$/m);
  });

  test('after a different one is printed as a warning', async () => {
    const { thrown, stdout, stderr } = await compare(['-m', 'one,two', 'hi']);
    expect((thrown as Error).message).toMatch(/^one: /);
    expect(stderr).toMatch(/^natter: warning: two: /m);
    expect(stdout).toBe('');
  });
});

test('a missing service is reported before anything is shown', async () => {
  const { thrown, stdout } = await compare(['--no-stdin', 'hi'], {
    terminals: ['stdout'],
    columns: 200,
    environment: { NATTER_BASE_URL: '' },
  });
  expect(thrown).toMatchObject({ kind: 'configuration', message: 'no service is configured' });
  expect(stdout).toBe('');
});

describe('N7 without -m', () => {
  const listing = (...ids: readonly string[]) =>
    json(200, { object: 'list', data: ids.map((id) => ({ id, object: 'model' })) });

  test('the configured model is compared with another one that the service lists', async () => {
    const server = await serve([[listing('small', 'large', 'huge')], [json(200, completion)]]);
    const environment = { ...serviceAt(server), NATTER_MODEL: 'large' };
    const { thrown, stdout } = await compare(['--no-stream', 'hi'], { environment });
    expect(thrown).toBeUndefined();
    expect(headings(stdout)).toEqual(['large', 'small']);
  });

  test('a service that lists no other model needs the name of one', async () => {
    const server = await serve([[listing('large')]]);
    const environment = { ...serviceAt(server), NATTER_MODEL: 'large' };
    expect((await compare(['hi'], { environment })).thrown).toMatchObject({
      kind: 'usage',
      message: 'there is no second model to compare large with',
      hint: 'name both: natter compare -m large,OTHER …',
    });
    expect(server.requests).toHaveLength(1);
  });

  test('a service without the default model is asked with two of its own', async () => {
    const server = await serve([[listing('small', 'large')], [json(200, completion)]]);
    const { stdout } = await compare(['--no-stream', 'hi'], { environment: serviceAt(server) });
    expect(headings(stdout)).toEqual(['small', 'large']);
  });

  test('a published model is compared with the other one', async () => {
    const environment = { NATTER_MODEL: 'nextgen' };
    const { stdout } = await compare(['[sandbox echo] hi'], { environment });
    expect(headings(stdout)).toEqual(['nextgen', 'origin']);
  });
});

test('N7 answers of one model to requests for two are reported', async () => {
  const list = json(200, { data: [{ id: 'origin' }, { id: 'nextgen' }] });
  const server = await serve([[list], [json(200, { ...completion, model: 'only' })]]);
  const { stderr } = await compare(['--no-stream', 'hi'], { environment: serviceAt(server) });
  expect(stderr).toContain(
    'natter: warning: origin and nextgen were both answered by only, as the service reports\n',
  );
});
