import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { runNatter, serviceAt } from '../support/natter.ts';
import { startProxy } from '../support/proxy-server.ts';
import { json, response, streamed } from '../support/raw-replies.ts';
import { certificatePath } from '../support/raw-server.ts';
import { keys, leave, openRepl, screenWith } from '../support/repl-terminal.ts';
import { serve } from '../support/serve.ts';
import { openTerminal } from '../support/terminal.ts';

const known = { id: 'origin', context_window: 200_000, owner: 'someone' };
const unlisted = { id: 'other', description: 'of somebody else' };

test.each([
  ['an array', [known, unlisted]],
  ['{data}', { object: 'list', data: [known, unlisted] }],
  ['{models}', { models: [known, unlisted] }],
])('the list of models is read from %s', async (_, body) => {
  const server = await serve([[json(200, body)]]);
  const env = { NATTER_BASE_URL: server.url };
  expect((await runInMemory(['models', 'list'], { env })).stdout).toBe(
    'origin\t200000\t18\tfastest, most responsive model\nother\t\t\tof somebody else\n',
  );
});

test('missing fields are filled in from the catalogue, marked on a terminal', async () => {
  const server = await serve([[json(200, ['nextgen', 'origin', 'other'])]]);
  const terminal = openTerminal(['models', 'list'], { env: { NATTER_BASE_URL: server.url } });
  expect((await terminal.exit).exitCode).toBe(0);
  expect(await terminal.transcript()).toBe(
    [
      'ID          CONTEXT  LATENCY  PURPOSE',
      'nextgen  1,000,000*   20 ms*  most advanced model*',
      'origin     128,000*   18 ms*  fastest, most responsive model*',
      'other',
      'natter: * taken from the published catalogue, not from the service',
    ].join('\n'),
  );
});

test('R10: /model lists the models, each on one row of the window, and explains the mark', async () => {
  const server = await serve([[json(200, ['nextgen', 'origin'])]]);
  const env = { NATTER_BASE_URL: server.url, NATTER_API_KEY: 'k' };
  const terminal = await openRepl([], { columns: 44, env });
  terminal.type(`/model${keys.enter}`);
  const screen = await screenWith(terminal, /Esc cancels/);
  expect(screen).toMatch(/\* taken from the\s+published catalogue/);
  expect(screen).toMatch(/\n {2}1 nextgen [^\n]*\n› 2 origin [^\n]*…\n/);
  terminal.type(keys.enter);
  await terminal.waitFor(/the model is now origin/);
  expect(await leave(terminal)).toBe(0);
});

test('on a narrow terminal each row of the table is truncated to one line', async () => {
  const terminal = openTerminal(['models', 'list', '--sandbox'], { columns: 40 });
  expect((await terminal.exit).exitCode).toBe(0);
  const lines = (await terminal.transcript()).split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[1]).toMatch(/^origin.*…$/);
});

test('a pipe gets no marks, heading or notice', async () => {
  const { stdout, stderr } = await runInMemory(['models', '--sandbox']);
  expect(stdout).toBe(
    'origin\t128000\t18\tfastest, most responsive model\nnextgen\t1000000\t20\tmost advanced model\n',
  );
  expect(stderr).toBe('');
});

test('--json has the record, and names the fields added from the catalogue', async () => {
  const server = await serve([[json(200, { data: [known] })]]);
  const env = { NATTER_BASE_URL: server.url };
  expect(JSON.parse((await runInMemory(['models', 'list', '--json'], { env })).stdout)).toEqual([
    {
      id: 'origin',
      context_window: 200_000,
      latency_ms: 18,
      purpose: 'fastest, most responsive model',
      from_catalogue: ['latency_ms', 'purpose'],
      record: known,
    },
  ]);
});

test('models search lists the models that contain a text', async () => {
  const { code, stdout } = await runInMemory(['models', 'search', 'ADVANCED', '--sandbox']);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'nextgen\t1000000\t20\tmost advanced model\n',
  });
});

test('models get shows one model with all fields of the service', async () => {
  const server = await serve([[json(200, { ...known, tags: ['a', 'b'] })]]);
  const env = { NATTER_BASE_URL: server.url };
  expect((await runInMemory(['models', 'get', 'origin'], { env })).stdout).toBe(
    [
      'id\torigin',
      'context window\t200000',
      'latency\t18',
      'purpose\tfastest, most responsive model',
      'owner\tsomeone',
      'tags\t["a","b"]',
      '',
    ].join('\n'),
  );
  expect(server.requests[0]?.path).toBe('/v1/models/origin');
});

test('a record without an id gets the requested id', async () => {
  const server = await serve([[json(200, { context_window: 5 })]]);
  const env = { NATTER_BASE_URL: server.url };
  const { stdout } = await runInMemory(['models', 'get', 'tiny'], { env });
  expect(stdout).toBe('id\ttiny\ncontext window\t5\n');
});

test('an id is always one segment of the path', async () => {
  const server = await serve([[json(200, { id: 'a/b c?' })]]);
  const env = { NATTER_BASE_URL: server.url };
  await runInMemory(['models', 'get', 'a/b c?'], { env });
  expect(server.requests[0]?.path).toBe('/v1/models/a%2Fb%20c%3F');
});

test('an unknown id has exit code 6 and a hint with the existing ids', async () => {
  const { code, stdout, stderr } = await runInMemory(['models', 'get', 'nope', '--sandbox']);
  expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  expect(stderr).toContain('(404)');
  expect(stderr).toContain('\n  the models are origin, nextgen\n');
});

test('an unknown id with --json is one JSON line on standard error', async () => {
  const { stdout, stderr } = await runInMemory(['models', 'get', 'nope', '--sandbox', '--json']);
  expect(stdout).toBe('');
  expect(JSON.parse(stderr)).toMatchObject({
    error: { kind: 'not_found', status: 404, hint: 'the models are origin, nextgen' },
  });
});

test('if a server has no endpoint for single models, natter uses its list', async () => {
  const server = await serve([[json(404, {})], [json(200, { data: [known, unlisted] })]]);
  const env = { NATTER_BASE_URL: server.url };
  const { code, stdout } = await runInMemory(['models', 'get', 'other'], { env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'id\tother\npurpose\tof somebody else\n' });
  expect(server.requests.map(({ path }) => path)).toEqual(['/v1/models/other', '/v1/models']);
});

test('an empty list is reported, and nothing is printed', async () => {
  const server = await serve([[json(200, { data: [] })]]);
  const env = { NATTER_BASE_URL: server.url };
  expect(await runInMemory(['models', 'list'], { env })).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'natter: the service lists no models\n',
  });
});

test('a list of unknown shape is a failure of the service', async () => {
  const server = await serve([[json(200, { models: 5 })]]);
  const { code } = await runInMemory(['models', 'list'], { env: { NATTER_BASE_URL: server.url } });
  expect(code).toBe(9);
});

test('fields of a record cannot control the terminal or add lines', async () => {
  const hostile = { id: 'x\u001B[2J', note: 'a\u001B]0;t\u0007\nb' };
  const server = await serve([[json(200, [hostile])], [json(200, hostile)]]);
  const env = { NATTER_BASE_URL: server.url };
  const list = await runInMemory(['models', 'list'], { env });
  const one = await runInMemory(['models', 'get', 'x'], { env });
  expect(list.stdout).not.toContain('\u001B');
  expect(one.stdout).not.toMatch(/[\u001B\u0007]/);
  expect(list.stdout.trimEnd().split('\n')).toHaveLength(1);
});

const trusted = { NODE_EXTRA_CA_CERTS: certificatePath('authority.pem') };
const page = response(200, { 'content-type': 'text/html' }, '<h1>Title</h1><p>One</p>');

/** A web server with this reply, and a service that answers `ok`. */
async function openPlaces(reply: Buffer) {
  const web = await serve([[reply]], { tls: true });
  const service = await serve([[streamed('ok')]]);
  return { web, service, env: { ...serviceAt(service), ...trusted } };
}

test('-f with an https: URL attaches the text of the page, without the key', async () => {
  const { web, service, env } = await openPlaces(page);
  const { code, stdout } = await runNatter(['-f', `${web.url}/a?b=c`, 'sum up'], { env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'ok\n' });
  const block = `<file name=\\"${web.url}/a?b=c\\">\\n# Title\\n\\nOne\\n</file>`;
  expect(service.requests[0]?.body).toContain(block);
  expect(web.requests).toHaveLength(1);
  const [{ method, path, headers } = { method: '', path: '', headers: {} }] = web.requests;
  expect({ method, path }).toEqual({ method: 'GET', path: '/a?b=c' });
  expect(Object.keys(headers).sort()).toEqual(['accept', 'connection', 'host', 'user-agent']);
});

test('-f with a URL uses the proxy', async () => {
  const { web, service, env } = await openPlaces(page);
  const proxy = await startProxy({ upstream: web.port });
  // A name that only the proxy can look up, so the certificate is for a different host.
  const words = ['-f', 'https://pages.test/', 'sum up'];
  const { code, stderr } = await runNatter(words, { env: { ...env, HTTPS_PROXY: proxy.url } });
  expect(code).toBe(10);
  expect(stderr).toContain('natter: cannot attach https://pages.test/: ');
  expect(proxy.requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
    'CONNECT pages.test:443',
  ]);
  expect(service.requests).toEqual([]);
});

test.each([
  ['a missing page', response(404), 6, /HTTP status 404/],
  ['an image', response(200, { 'content-type': 'image/png' }), 2, /it is image\/png, not text/],
])('-f with the URL of %s is refused, and nothing is sent', async (_name, reply, code, message) => {
  const { web, service, env } = await openPlaces(reply);
  const run = await runNatter(['-f', web.url, 'sum up'], { env });
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: '' });
  expect(run.stderr).toMatch(message);
  expect(service.requests).toEqual([]);
});

test('-f with an http: URL is refused', async () => {
  const { code, stderr } = await runNatter(['--sandbox', '-f', 'http://127.0.0.1:1/', 'hi']);
  expect(code).toBe(2);
  expect(stderr).toBe(
    'natter: cannot attach http://127.0.0.1:1/: only https addresses are fetched\n' +
      '  use https, or download the text with a different program and pipe it in\n',
  );
});
