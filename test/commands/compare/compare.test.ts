import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pathOf, versionsOf } from '../../../src/conversation/tree.ts';
import { sandboxKey } from '../../../src/sandbox/keys.ts';
import { createDataFolder } from '../../support/data-folder.ts';
import { runInMemory } from '../../support/in-memory.ts';
import { jsonLines } from '../../support/natter.ts';
import { serviceWith } from '../../support/held-sandbox.ts';

const reset = { when: { model: 'nextgen' }, reply: 'echo', cut: 'rst', 'cut-after': 3 };

describe('in a pipe', () => {
  test('answers are exactly the bytes of the service, each under its heading', async () => {
    const env = await serviceWith();
    const bytesOf = async (model: string) => {
      const { stdout } = await runInMemory(['-m', model, '[sandbox hostile]'], { env });
      return stdout.endsWith('\n') ? stdout : `${stdout}\n`;
    };
    const { code, stdout } = await runInMemory(['compare', '[sandbox hostile]'], { env });
    const [origin, nextgen] = [await bytesOf('origin'), await bytesOf('nextgen')];
    expect(code).toBe(0);
    expect(stdout).toBe(`==> origin <==\n${origin}\n==> nextgen <==\n${nextgen}`);
  });

  test('standard input is sent to each model', async () => {
    const { code, stdout } = await runInMemory(['compare', '--sandbox', '[sandbox echo] this:'], {
      input: 'piped in',
    });
    expect(code).toBe(0);
    expect(stdout.match(/piped in/g)).toHaveLength(2);
  });

  test('a failed model does not affect the other, and its cause has the exit code', async () => {
    const env = await serviceWith(reset);
    const { code, stdout, stderr } = await runInMemory(['compare', 'one two three four five'], {
      env,
    });
    expect(code).toBe(11);
    expect(stdout).toContain('==> origin <==\n**This is the natter sandbox.**');
    expect(stdout).toContain('==> nextgen <==\none two');
    expect(stderr).toMatch(/^natter: nextgen: the answer is incomplete/m);
    expect(stderr).toMatch(/^nextgen\t.*\tincomplete$/m);
  });

  test('the hint of a rejected key names the variable that has it', async () => {
    const env = { ...(await serviceWith(reset)), NATTER_API_KEY: 'wrong' };
    const { code, stderr } = await runInMemory(['compare', 'hi'], { env });
    expect(code).toBe(4);
    expect(stderr).toContain('  the key is from NATTER_API_KEY: correct it, or unset it');
  });
});

test('a model with a profile uses the address and the key of that profile', async () => {
  const env = await serviceWith();
  const other = await serviceWith({ reply: 'echo' });
  const config = mkdtempSync(join(tmpdir(), 'natter-compare-'));
  const local = { 'base-url': other.NATTER_BASE_URL };
  const credential = { apiKey: sandboxKey, baseUrl: other.NATTER_BASE_URL };
  writeFileSync(join(config, 'config.json'), JSON.stringify({ profiles: { local } }));
  writeFileSync(
    join(config, 'credentials.json'),
    JSON.stringify({ profiles: { local: credential } }),
    {
      mode: 0o600,
    },
  );
  const { code, stdout } = await runInMemory(
    ['compare', '-m', 'origin,local:origin', 'hello you'],
    {
      env: { ...env, NATTER_CONFIG_DIR: config },
    },
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/==> origin <==\n\*\*This is the natter sandbox/);
  expect(stdout).toMatch(/==> local:origin <==\nhello you\n$/);
});

describe('the saved conversation', () => {
  test('has the answer of each model, and continues with the first', async () => {
    const data = createDataFolder();
    await data.run(['--sandbox', 'compare', '[sandbox echo] hi']);
    const conversation = data.only();
    const [prompt, answer, ...others] = pathOf(conversation);
    expect(others).toEqual([]);
    expect(prompt?.content).toBe('[sandbox echo] hi');
    expect(answer).toMatchObject({ model: 'origin', content: 'hi', finishReason: 'stop' });
    const versions = answer === undefined ? [] : versionsOf(conversation, answer);
    expect(versions.map(({ model, content }) => [model, content])).toEqual([
      ['origin', 'hi'],
      ['nextgen', 'hi'],
    ]);
  });

  test('continues with the first complete answer', async () => {
    const data = createDataFolder();
    await data.run(['--sandbox', 'compare', '-m', 'other,nextgen', '[sandbox echo] hi']);
    expect(pathOf(data.only()).at(-1)).toMatchObject({ model: 'nextgen', content: 'hi' });
  });

  test('continues with -c, and all models get the earlier turns', async () => {
    const data = createDataFolder();
    await data.run(['--sandbox', '[sandbox echo] hi']);
    const dry = await data.run(['--sandbox', 'compare', '-c', '--dry-run', 'and now?']);
    const { requests } = JSON.parse(dry.stdout) as { requests: { request: { body: object } }[] };
    const turns = ['[sandbox echo] hi', 'hi', 'and now?'].map((content) => ({ content }));
    expect(requests.map(({ request }) => request.body)).toMatchObject([
      { model: 'origin', messages: turns },
      { model: 'nextgen', messages: turns },
    ]);
    expect(pathOf(data.only())).toHaveLength(2);
    await data.run(['--sandbox', 'compare', '-c', '[sandbox echo] and now?']);
    const path = pathOf(data.only());
    const shown = path.map(({ content }) => content);
    expect(shown).toEqual(['[sandbox echo] hi', 'hi', '[sandbox echo] and now?', 'and now?']);
    const [answer] = path.slice(-1);
    const versions = answer === undefined ? [] : versionsOf(data.only(), answer);
    expect(versions.map(({ model }) => model)).toEqual(['origin', 'nextgen']);
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

const words = ['compare', '-m', 'one,two', '--schema', 'name, id? number', 'who?'];

interface Document {
  readonly answers: readonly object[];
}

interface Body {
  readonly model: string;
  readonly messages: readonly { readonly content: string }[];
}

/** A service whose model `one` gives these answers, one to each request, and whose other model gives always the same. */
async function openService(answers: readonly string[]) {
  const bodies: Body[] = [];
  const left = [...answers];
  const server = createServer((request, response) => {
    void text(request).then((received) => {
      const body = JSON.parse(received) as Body;
      if (body.model !== 'two') bodies.push(body);
      const message = { role: 'assistant', content: body.model === 'two' ? other : left.shift() };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { bodies, env: { NATTER_BASE_URL: `http://127.0.0.1:${port}`, NATTER_API_KEY: 'key' } };
}

async function runWith(answers: readonly string[], more: readonly string[] = []) {
  const { bodies, env } = await openService(answers);
  return { ...(await runInMemory([...words, ...more], { env })), bodies };
}

const shown = (one: string) => `==> one <==\n${one}\n\n==> two <==\n${other}\n`;

test('each answer is the value alone', async () => {
  const { code, stdout, bodies } = await runWith([`\`\`\`json\n${right}\n\`\`\``]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: shown(right) });
  expect(bodies[0]?.messages[0]?.content).toContain('conforms to the JSON Schema');
});

test('a model is asked again with the violations, and the other is not', async () => {
  const { code, stdout, stderr, bodies } = await runWith([wrong, right]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: shown(right) });
  expect(stderr).toContain(
    'one: the answer does not match the schema: /name must be a string; asking again (1 of 1)',
  );
  expect(stderr).not.toContain('two: the answer');
  expect(bodies[1]?.messages.at(-1)?.content).toContain('- /name must be a string');
});

test('an answer that does not conform is shown, and fails with 13', async () => {
  const { code, stdout, stderr } = await runWith([wrong, wrong]);
  expect({ code, stdout }).toEqual({ code: 13, stdout: shown(wrong) });
  expect(stderr).toContain('natter: one: the answer does not match the schema: /name');
});

test('--json has the value, and what was received before', async () => {
  const { stdout } = await runWith([wrong, right], ['--json', '--select', '/name']);
  expect(stdout).toContain('"value":{"name":"Ada","id":12345678901234567890},"selected":"Ada"},{');
  const { answers } = JSON.parse(stdout) as Document;
  expect(answers).toMatchObject([
    { asked: 'one', violations: [], checked_answers: [{ content: wrong }, { content: right }] },
    { asked: 'two', violations: [], value: { name: 'Bob' } },
  ]);
});

test('--jsonl has a line with the result of the check', async () => {
  const { stdout } = await runWith([right], ['--jsonl']);
  const lines = jsonLines(stdout) as readonly { readonly type: string }[];
  const checks = lines.filter(({ type }) => type === 'answer-checked');
  expect(checks).toHaveLength(2);
  expect(checks).toContainEqual(expect.objectContaining({ asked: 'two', value: { name: 'Bob' } }));
});

test('--select prints one value', async () => {
  const { stdout } = await runWith([right], ['--select', '/name']);
  expect(stdout).toBe('==> one <==\nAda\n\n==> two <==\nBob\n');
});

test('the conversation has the correction, and continues with the answer to it', async () => {
  const { env: folder } = createDataFolder();
  const { bodies, env } = await openService([wrong, right, 'bye']);
  const run = (line: readonly string[]) => runInMemory(line, { env: { ...env, ...folder } });
  expect(await run(words)).toMatchObject({ code: 0 });
  expect(await run(['-c', '-m', 'one', 'next'])).toMatchObject({ code: 0 });
  expect(bodies[2]?.messages.map(({ content }) => content)).toEqual([
    expect.stringContaining('who?'),
    wrong,
    expect.stringContaining('- /name must be a string'),
    right,
    'next',
  ]);
});
