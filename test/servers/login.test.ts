import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { temporaryHome } from '../support/natter.ts';
import { storedKey } from '../support/profiles.ts';
import { delta, done } from '../support/raw-replies.ts';
import { serverApis, type ServerApi } from './server-apis.ts';

const key = 'nk-right';

/** Serves an API at exactly its paths; `inVain` has the requests to others. */
async function serveApi(api: ServerApi) {
  const inVain: string[] = [];
  const { model, keyHeader, refusal, missing } = api;
  const { pathname, search } = new URL(api.baseUrl);
  const path = pathname.replace(/\/$/, '');
  const chat = `${path}/chat/completions${search}`;
  const models = api.models === undefined ? `${path}/models` : api.models;
  const list = api.list ?? JSON.stringify({ data: [{ id: model, object: 'model' }] });
  const isRight = ({ headers }: IncomingMessage) =>
    keyHeader === undefined
      ? headers.authorization === `Bearer ${key}`
      : headers[keyHeader] === key && headers.authorization === undefined;

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const send = (status: number, body: string, type = 'application/json') =>
      response.writeHead(status, { 'content-type': type }).end(body);
    let text = '';
    for await (const bytes of request.setEncoding('utf8')) text += bytes;
    const asked = `${request.method} ${request.url}`;
    const isList = asked === `GET ${models}`;
    if (!isList && asked !== `POST ${chat}`) {
      inVain.push(asked);
      return send(missing.status ?? 404, missing.body, missing.type);
    }
    const isOpen = refusal === undefined || (isList && api.isListPublic === true);
    if (!isOpen && !isRight(request)) return send(...refusal);
    if (isList) return send(200, list);
    const { messages } = JSON.parse(text) as { readonly messages: readonly unknown[] };
    if (messages.length === 0) return send(400, '{"error":"messages is empty"}');
    return send(200, delta('Hello') + done, 'text/event-stream');
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { root, url: root + path + search, inVain };
}

const logIn = (url: string, input: string, env: { readonly HOME: string }) =>
  runInMemory(['auth', 'login', '--base-url', url], { env, input });

test.each(serverApis)('auth login finds the API of $server at $baseUrl', async (api) => {
  const { url, inVain } = await serveApi(api);
  const env = { HOME: temporaryHome() };
  const login = await logIn(url, key, env);
  const found = api.models === null ? 'answered, but lists no models' : `it offers ${api.model}`;
  expect(login).toMatchObject({ code: 0, stderr: expect.stringContaining(found) as string });
  expect(inVain).toEqual(api.inVain ?? []);
  const { code, stdout } = await runInMemory(['-m', api.model, 'hi'], { env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello\n' });
});

const withKeys = serverApis.filter(({ refusal }) => refusal !== undefined);

test.each(withKeys)('auth login does not store a key that $server refuses', async (api) => {
  const { url } = await serveApi(api);
  const env = { HOME: temporaryHome() };
  const login = await logIn(url, 'nk-wrong', env);
  const refused = `natter: ${url} refused the key (${api.refusal?.[0]})`;
  expect(login).toMatchObject({ code: 4, stderr: expect.stringContaining(refused) as string });
  expect(() => storedKey(env.HOME)).toThrow('ENOENT');
});

test.each(serverApis)('a wrong path of $server fails with its message', async (api) => {
  const { root } = await serveApi(api);
  const env = { NATTER_BASE_URL: `${root}/elsewhere`, NATTER_API_PATH: '/', NATTER_API_KEY: key };
  const { code, stderr } = await runInMemory(['hi'], { env });
  const { status = 404, body, message = body } = api.missing;
  expect(code).toBe(status === 404 ? 6 : 9);
  expect(stderr).toContain(message);
});

const withLists = serverApis.filter(({ models }) => models !== null);

test.each(withLists)('models get finds a model in the list of $server', async (api) => {
  const { url } = await serveApi(api);
  const env = { HOME: temporaryHome() };
  await logIn(url, key, env);
  const { code, stdout } = await runInMemory(['models', 'get', api.model, '--json'], { env });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ id: api.model });
  // LM Studio answers the path of a single model with status 200 and an error.
  expect(stdout).not.toContain('error');
});

test('the guide has the address of every server', () => {
  const rows = readFileSync('docs/servers.md', 'utf8').split('\n');
  const isShown = ({ server, baseUrl }: ServerApi) =>
    rows.some((row) => row.startsWith(`| ${server} `) && row.includes(`\`${baseUrl}\``));
  expect(serverApis.filter((api) => !isShown(api)).map(({ baseUrl }) => baseUrl)).toEqual([]);
});
