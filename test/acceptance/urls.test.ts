import { expect, test } from 'vitest';
import { runNatter, serviceAt } from '../support/natter.ts';
import { startProxy } from '../support/proxy-server.ts';
import { certificatePath } from '../support/raw-server.ts';
import { response, streamed } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';

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
