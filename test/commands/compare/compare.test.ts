import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type CompareOptions,
  parseModels,
  readComparedModels,
} from '../../../src/commands/compare/run.ts';
import { pathOf, type Turn, versionsOf } from '../../../src/conversation/tree.ts';
import type { Run } from '../../../src/run.ts';
import { parseModel } from '../../../src/settings/read-settings.ts';
import { openBatchPlace, saying } from '../../support/batch.ts';
import { createDataFolder } from '../../support/data-folder.ts';
import { folderOf } from '../../support/folder.ts';
import { serviceWith } from '../../support/held-sandbox.ts';
import { expectFailure, runInContext, runInMemory } from '../../support/in-memory.ts';
import { createMemoryContext, type MemoryOptions } from '../../support/memory-context.ts';
import { jsonLines, serviceAt } from '../../support/natter.ts';
import { json } from '../../support/raw-replies.ts';
import { serve } from '../../support/serve.ts';

const profiles = ['default', 'local'];
const named = (label: string, profile?: string, model: string | undefined = label) => {
  return { label, profile, model };
};

const tags = 'llama3:8b llama3.2:3b-instruct-q4_K_M phi3:mini claude-v2:1 ft:gpt-4o-mini:team::id';

test.each(tags.split(' '))('%s is a model', (name) => {
  expect(parseModel(name, profiles, 'usage')).toEqual(named(name));
});

test.each(['lokal:llama3', 'lokal:llama3:8b', 'work:gpt-4.1', 'lokal:', 'work:o3'])(
  '%s names an unknown profile, unless there are none',
  (name) => {
    expect(() => parseModel(name, profiles, 'usage')).toThrow(
      /^there is no profile (?:lokal|work) for .+; the profiles are /,
    );
    expect(parseModel(name, undefined, 'usage')).toMatchObject(named(name));
  },
);

describe('a list of models', () => {
  test.each([
    [['origin,nextgen'], [named('origin'), named('nextgen')]],
    [
      ['a', 'b'],
      [named('a'), named('b')],
    ],
    [[' a , b ,'], [named('a'), named('b')]],
    [['a,a'], [named('a'), named('a (2)', undefined, 'a')]],
    [['a,local:llama3'], [named('a'), named('local:llama3', 'local', 'llama3')]],
    [['phi:3,local:phi:3'], [named('phi:3'), named('local:phi:3', 'local', 'phi:3')]],
    [['a,phi3:mini'], [named('a'), named('phi3:mini')]],
    [['a,local:'], [named('a'), { label: 'local:', profile: 'local', model: undefined }]],
  ])('%j', (lists, models) => {
    expect(parseModels(lists, profiles)).toEqual(models);
  });

  test.each([['origin'], [','], ['']])('%j has too few models', (list) => {
    expect(() => parseModels([list], profiles)).toThrow('a comparison needs at least two models');
  });
});

const stored = {
  profiles: {
    local: { 'base-url': 'http://127.0.0.1:11434', model: 'llama3', params: { seed: 1 } },
    work: { model: 'nextgen' },
  },
};
const credentials = {
  profiles: { local: { apiKey: 'local-key-123', baseUrl: 'http://127.0.0.1:11434' } },
};

function read(
  { models = ['origin,nextgen'], ...options }: Partial<CompareOptions>,
  environment: Readonly<Record<string, string>> = {},
) {
  const config = folderOf({ 'config.json': JSON.stringify(stored) });
  writeFileSync(join(config, 'credentials.json'), JSON.stringify(credentials), { mode: 0o600 });
  const all = { NATTER_CONFIG_DIR: config, ...environment };
  const { context } = createMemoryContext({ environment: all, homeDirectory: config });
  const defaults = { color: 'auto', input: true, stream: true, stdin: true } as const;
  const run = { context, options: { ...defaults, ...options, models } } as Run<CompareOptions>;
  return readComparedModels(run, []).map(({ settings }) => {
    const { values, apiKey, params } = settings;
    return [values.baseUrl, apiKey?.value, values.model, ...Object.keys(params)].join(' ');
  });
}

const mainService = { NATTER_BASE_URL: 'https://api.example.com', NATTER_API_KEY: 'main-key-123' };

const main = 'https://api.example.com main-key-123';
const local = 'http://127.0.0.1:11434 local-key-123';

test.each([
  ['are the current ones', {}, [`${main} origin`, `${main} nextgen`]],
  [
    'are those of its profile, and no other key is sent to its service (K1)',
    { models: ['local:mistral,local:'], baseUrl: 'https://api.example.com' },
    [`${local} mistral seed`, `${local} llama3 seed`],
  ],
  ['have the current base URL', { models: ['work:,work:o3'] }, [`${main} nextgen`, `${main} o3`]],
])('the settings of a model %s', (_, flags, expected) => {
  const environment = { ...mainService, NATTER_MODEL: 'other' };
  expect(read(flags, environment)).toEqual(expected);
});

test('the settings of a model have no profile in the sandbox', () => {
  expect(read({ models: ['origin,local:llama3'], sandbox: true })[1]).toContain('local:llama3');
});

/** Runs `natter compare` with a sandbox. @returns the output and the failure */
async function compare(
  words: readonly string[],
  options: MemoryOptions = {},
  rules: readonly object[] = [],
) {
  const service = await serviceWith(...rules);
  const plain = { NATTER_SAVE: 'false', NO_COLOR: '1' };
  const environment = { ...plain, ...service, ...options.environment };
  return runInContext(['compare', ...words], { ...options, environment });
}

const completion = { choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] };

const echoHi = '[sandbox echo] hi';
const both = ['origin', 'nextgen'];

const headings = (output: string) =>
  [...output.matchAll(/^==> (.*) <==$/gm)].map((found) => found[1]);

test.each<[string, readonly string[], MemoryOptions, readonly string[]]>([
  ['both published models', [echoHi], {}, both],
  ['the named models', ['-m', 'nextgen,origin', echoHi], {}, ['nextgen', 'origin']],
  ['one model twice', ['-m', 'origin,origin', echoHi], {}, ['origin', 'origin (2)']],
  ['standard input', [], { input: [echoHi] }, both],
  ['a narrow terminal', ['--no-stdin', echoHi], { terminals: ['stdout'] }, both],
  ['wide', ['--stacked', '--no-stdin', echoHi], { terminals: ['stdout'], columns: 200 }, both],
])('%s', async (_, words, given, expected) => {
  const options = { columns: 50, ...given };
  const { failure, stdout } = await compare(words, options);
  expect(failure).toBeUndefined();
  expect(headings(stdout)).toEqual(expected);
  expect(stdout.match(/\bhi$/gm)).toHaveLength(2);
});

test('without a prompt, the hint is an example', async () => {
  const { failure } = await compare(['--no-stdin']);
  const hint = 'for example: natter compare "why is the sky blue?"';
  expect(failure).toMatchObject({ kind: 'usage', hint });
});

test('figures are printed on standard error, and not with --quiet', async () => {
  const shown = await compare([echoHi]);
  expect(shown.stderr).toMatch(/^origin\t\d+ ms\t-\t\d+\t\d+\t\d+ ms\tstop\nnextgen\t.*\n$/);
  expect((await compare(['--quiet', echoHi])).stderr).toBe('');
});

test('-s, -t, --param and --no-stream go into each request, and --dry-run sends none', async () => {
  const server = await serve([[json(200, completion)]]);
  const words = '-m origin,nextgen -s brief -t 3 --param seed=1 --no-stream hello'.split(' ');
  const environment = serviceAt(server);
  const { stdout } = await compare([...words, '--dry-run'], { environment });
  expect(server.connections()).toBe(0);
  expect((await compare(words, { environment })).failure).toBeUndefined();
  const messages = [
    { role: 'system', content: 'brief' },
    { role: 'user', content: 'hello' },
  ];
  const bodies = both.map((model) => ({ model, messages, max_tokens: 3, seed: 1 }));
  expect(server.bodies()).toEqual(expect.arrayContaining(bodies));
  const url = `${server.url}/v1/chat/completions`;
  expect(JSON.parse(stdout)).toMatchObject({
    requests: bodies.map((body) => ({
      asked: body.model,
      request: { method: 'POST', url, body },
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
    const { stdout } = await compare(['--diff', echoHi]);
    expect(stdout).toMatch(/differences between origin and nextgen <==\nno differences\n$/);
  });

  test('is not shown for answers that differ too much', async () => {
    const reply = { reply: 'tokens', tokens: 20_000 };
    const faults = both.map((model, seed) => ({ when: { model }, ...reply, seed }));
    const { stdout, stderr } = await compare(['--diff', 'hi'], {}, faults);
    expect(headings(stdout)).toEqual(['origin', 'nextgen']);
    expect(stderr).toContain('origin and nextgen differ in more than 2,000 words; no diff is');
  });

  test('prints no control sequences', async () => {
    const terminals = ['stdout'] as const;
    const words = ['--diff', '--no-stdin', '[sandbox hostile] hi'];
    const { stdout } = await compare(words, { terminals, columns: 50 });
    expect(stdout).not.toContain('\u001B');
    expect(stdout).not.toContain('\u009B');
  });

  test.each(['--json', '--jsonl'])('excludes %s', async (format) => {
    const { failure } = await compare(['--diff', format, 'hi']);
    const message = `option '--diff' cannot be used with option '${format}'`;
    expect(failure).toMatchObject({ kind: 'usage', message });
  });
});

test('S31 a refusal is printed with its model, in JSON as a field', async () => {
  const prompt = '[sandbox refusal echo] I will not';
  const { stderr } = await compare([prompt]);
  expect(stderr).toContain('nextgen: the model refused: I will not');
  expect(stderr).not.toContain('the answer is empty');
  const refused = { content: '', refusal: 'I will not' };
  const { stdout } = await compare(['--json', prompt]);
  expect(JSON.parse(stdout)).toMatchObject({ answers: [refused, refused] });
});

describe('--json', () => {
  test('is one document of all answers in order', async () => {
    const { stdout, stderr } = await compare(['--json', echoHi]);
    expect(stderr).toBe('');
    const timing = { total_ms: expect.any(Number) as number };
    const answer = { content: 'hi', finish_reason: 'stop', attempts: 1, timing };
    const answers = both.map((model) => ({
      asked: model,
      model,
      ...answer,
      tokens_per_second: null,
    }));
    expect(JSON.parse(stdout)).toMatchObject({ answers });
  });

  test('has the failure of a model beside the other answers', async () => {
    const { failure, stdout } = await compare(['--json', '-m', 'origin,other', echoHi]);
    expect(failure).toMatchObject({ kind: 'not_found' });
    const error = { kind: 'not_found', status: 404 };
    const other = { asked: 'other', content: '', incomplete: true, error };
    expect(JSON.parse(stdout)).toMatchObject({ answers: [{ content: 'hi' }, other] });
  });

  test('--jsonl has the requested model in each event', async () => {
    const { stdout } = await compare(['--jsonl', '-m', 'origin,other', echoHi]);
    const lines = jsonLines(stdout) as readonly Readonly<Record<string, unknown>>[];
    const of = (asked: string) => lines.filter((line) => line['asked'] === asked);
    const types = of('origin').map(({ type }) => type);
    expect(types.join(' ')).toBe('answer-started answer-named text-received answer-finished');
    expect(of('other')).toMatchObject([{ type: 'answer-failed', error: { kind: 'not_found' } }]);
  });
});

describe('a model that fails', () => {
  test('does not affect the other answers, and ends the run with its failure', async () => {
    const { failure, stdout, stderr } = await compare(['-m', 'other,origin', echoHi]);
    expect(headings(stdout)).toEqual(['origin']);
    expect(failure).toMatchObject({ kind: 'not_found', status: 404 });
    expect((failure as Error).message).toMatch(/^other: /);
    expect(stderr).toMatch(/^other\t-\t-\t-\t~0\t\d+ ms\tnot_found$/m);
    expect(stderr).not.toContain('the answer is empty');
  });

  test('after a different one is printed as a warning', async () => {
    const { failure, stdout, stderr } = await compare(['-m', 'one,two', 'hi']);
    expect((failure as Error).message).toMatch(/^one: /);
    expect(stderr).toMatch(/^natter: warning: two: /m);
    expect(stdout).toBe('');
  });
});

test('a missing service is reported before anything is shown', async () => {
  const environment = { NATTER_BASE_URL: '' };
  const options: MemoryOptions = { terminals: ['stdout'], columns: 200, environment };
  const { failure, stdout } = await compare(['--no-stdin', 'hi'], options);
  expect(failure).toMatchObject({ kind: 'configuration', message: 'no service is configured' });
  expect(stdout).toBe('');
});

describe('N7 without -m', () => {
  const listing = (...ids: readonly string[]) =>
    json(200, { object: 'list', data: ids.map((id) => ({ id, object: 'model' })) });

  test.each([
    ['the configured model and another one that the service lists', 'large', ['large', 'small']],
    ['two models of a service without the default one', '', ['small', 'large']],
  ])('%s are compared', async (_, model, expected) => {
    const server = await serve([[listing('small', 'large', 'huge')], [json(200, completion)]]);
    const environment = { ...serviceAt(server), NATTER_MODEL: model };
    const { failure, stdout } = await compare(['--no-stream', 'hi'], { environment });
    expect(failure).toBeUndefined();
    expect(headings(stdout)).toEqual(expected);
  });

  test('a service that lists no other model needs the name of one', async () => {
    const server = await serve([[listing('large')]]);
    const environment = { ...serviceAt(server), NATTER_MODEL: 'large' };
    expect((await compare(['hi'], { environment })).failure).toMatchObject({
      kind: 'usage',
      message: 'there is no second model to compare large with',
      hint: 'name both: natter compare -m large,OTHER …',
    });
    expect(server.requests).toHaveLength(1);
  });

  test('a published model is compared with the other one', async () => {
    const environment = { NATTER_MODEL: 'nextgen' };
    const { stdout } = await compare([echoHi], { environment });
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

test('in a pipe, answers are exactly the bytes of the service, each under its heading', async () => {
  const env = await serviceWith();
  const bytesOf = async (model: string) => {
    const { stdout } = await runInMemory(['-m', model, '[sandbox hostile]'], { env });
    return stdout.endsWith('\n') ? stdout : `${stdout}\n`;
  };
  const { stdout } = await runInMemory(['compare', '[sandbox hostile]'], { env });
  const [origin, nextgen] = [await bytesOf('origin'), await bytesOf('nextgen')];
  expect(stdout).toBe(`==> origin <==\n${origin}\n==> nextgen <==\n${nextgen}`);
});

test('the hint of a rejected key names the variable that has it', async () => {
  const env = { ...(await serviceWith()), NATTER_API_KEY: 'wrong' };
  const result = await runInMemory(['compare', 'hi'], { env });
  expectFailure(result, 4, '  the key is from NATTER_API_KEY: correct it, or unset it');
});

describe('the saved conversation', () => {
  /** The turns that are continued, and the models of the last one. */
  const savedIn = (data: ReturnType<typeof createDataFolder>) => {
    const path = pathOf(data.only());
    const versions = versionsOf(data.only(), path.at(-1) as Turn);
    const texts = path.map(({ content }) => content);
    return { texts, models: versions.map(({ model }) => model) };
  };

  test('has the answer of each model, and continues with the first', async () => {
    const data = createDataFolder();
    await data.run(['--sandbox', 'compare', echoHi]);
    const texts = [echoHi, 'hi'];
    expect(savedIn(data)).toEqual({ texts, models: ['origin', 'nextgen'] });
    const answer = { model: 'origin', content: 'hi', finishReason: 'stop' };
    expect(pathOf(data.only())[1]).toMatchObject(answer);
  });

  test('continues with the first complete answer', async () => {
    const data = createDataFolder();
    await data.run(['--sandbox', 'compare', '-m', 'other,nextgen', echoHi]);
    expect(pathOf(data.only()).at(-1)).toMatchObject({ model: 'nextgen', content: 'hi' });
  });

  test('continues with -c, and all models get the earlier turns', async () => {
    const data = createDataFolder();
    await data.run(['--sandbox', echoHi]);
    const dry = await data.run(['--sandbox', 'compare', '-c', '--dry-run', 'and now?']);
    const messages = [echoHi, 'hi', 'and now?'].map((content) => ({ content }));
    const requests = both.map((model) => ({ request: { body: { model, messages } } }));
    expect(JSON.parse(dry.stdout)).toMatchObject({ requests });
    expect(pathOf(data.only())).toHaveLength(2);
    await data.run(['--sandbox', 'compare', '-c', '[sandbox echo] and now?']);
    const texts = [echoHi, 'hi', '[sandbox echo] and now?', 'and now?'];
    expect(savedIn(data)).toEqual({ texts, models: both });
  });

  test('does not exist with --no-save', async () => {
    const data = createDataFolder();
    await data.run(['--sandbox', 'compare', '--no-save', 'hi']);
    expect(existsSync(join(data.path, 'conversations'))).toBe(false);
  });
});

const right = '{"name": "Ada", "id": 12345678901234567890}';

const wrong = '{"name": 5}';

const other = '{"name": "Bob"}';

const checkedWords = ['compare', '--schema', 'name, id? number', 'who?'];

/** A service whose model origin gives these answers, one to each request, and whose other model gives always the same. */
const openService = (...answers: readonly string[]) =>
  openBatchPlace([
    ...answers.map((answer) => saying(answer, 'times=1', { model: 'origin' })),
    saying(other),
  ]);

async function runWith(answers: readonly string[], more: readonly string[] = []) {
  const { bodies, env } = await openService(...answers);
  return { ...(await runInMemory([...checkedWords, ...more], { env })), bodies };
}

const shown = (first: string) => `==> origin <==\n${first}\n\n==> nextgen <==\n${other}\n`;

test('a model is asked again with the violations, and the other is not', async () => {
  const { code, stdout, stderr, bodies } = await runWith([wrong, right]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: shown(right) });
  expect(stderr).toMatch(/origin: the answer does not .*: \/name must be string; asking again/);
  expect(stderr).not.toContain('nextgen: the answer');
  const asked = bodies.filter(({ model }) => model === 'origin');
  expect(asked[1]?.messages.at(-1)?.content).toContain('- /name must be string');
});

test('an answer that does not conform is shown, and fails with 13', async () => {
  const { code, stdout, stderr } = await runWith([wrong, wrong]);
  expect({ code, stdout }).toEqual({ code: 13, stdout: shown(wrong) });
  expect(stderr).toContain('natter: origin: the answer does not match the schema: /name');
});

test('--json has the value, and what was received before', async () => {
  const { stdout } = await runWith([wrong, right], ['--json', '--select', '/name']);
  expect(stdout).toContain('"value":{"name":"Ada","id":12345678901234567890},"selected":"Ada"},{');
  const { answers } = JSON.parse(stdout) as { readonly answers: readonly object[] };
  expect(answers).toMatchObject([
    { asked: 'origin', violations: [], checked_answers: [{ content: wrong }, { content: right }] },
    { asked: 'nextgen', violations: [], value: { name: 'Bob' } },
  ]);
});

test('--jsonl has a line with the result of the check', async () => {
  const { stdout } = await runWith([right], ['--jsonl']);
  const lines = jsonLines(stdout) as readonly { readonly type: string }[];
  const checks = lines.filter(({ type }) => type === 'answer-checked');
  expect(checks).toHaveLength(2);
  expect(checks).toContainEqual(
    expect.objectContaining({ asked: 'nextgen', value: { name: 'Bob' } }),
  );
});

test('the conversation has the correction, and continues with the answer to it', async () => {
  const { env: folder } = createDataFolder();
  const { bodies, env } = await openService(wrong, right, 'bye');
  const run = (line: readonly string[]) => runInMemory(line, { env: { ...env, ...folder } });
  expect(await run(checkedWords)).toMatchObject({ code: 0 });
  expect(await run(['-c', '-m', 'origin', 'next'])).toMatchObject({ code: 0 });
  const [, ...texts] = bodies.at(-1)?.messages.map(({ content }) => content) ?? [];
  const correction = expect.stringContaining('- /name must be string') as string;
  expect(texts).toEqual([wrong, correction, right, 'next']);
});
