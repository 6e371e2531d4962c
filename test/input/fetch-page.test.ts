import { expect, test } from 'vitest';
import { fetchPage, type LookUp } from '../../src/input/fetch-page.ts';
import type { HttpRequest, HttpResponse } from '../../src/client/http/transport.ts';
import { failureOf } from '../settings/fixtures/stored.ts';
import { createMemoryContext } from '../support/memory-context.ts';

interface Page {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Fetches `url` from these pages by address; host names with `private` have private addresses. */
function fetchFrom(pages: Readonly<Record<string, Page>>, url: string) {
  const requests: HttpRequest[] = [];
  const lookUp: LookUp = async (name) => [name.includes('private') ? '10.1.2.3' : '93.184.216.34'];
  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    requests.push(request);
    const { status = 200, headers = {}, body = '' } = pages[request.url.href] ?? { status: 404 };
    async function* bytes() {
      yield Buffer.from(body);
    }
    return { status, headers, body: bytes(), destroy: () => undefined };
  };
  const page = fetchPage(url, {
    network: () => ({ send, close: () => undefined }),
    context: createMemoryContext({ environment: { NATTER_API_KEY: 'sk-secret' } }).context,
    lookUp,
    signal: new AbortController().signal,
  });
  return { page, requests };
}

const plain = { 'content-type': 'text/plain' };
const to = (location: string): Page => ({ status: 302, headers: { location } });

test('a text is attached by its address, and the request has no key and no cookie', async () => {
  const url = 'https://example.test/notes.txt?v=1';
  const { page, requests } = fetchFrom({ [url]: { headers: plain, body: 'one\n' } }, url);
  expect(await page).toEqual({ name: url, content: 'one\n' });
  expect(requests.map(({ method, headers }) => ({ method, names: Object.keys(headers) }))).toEqual([
    { method: 'GET', names: ['accept', 'user-agent'] },
  ]);
});

test('a page becomes its text', async () => {
  const url = 'https://example.test/';
  const body = `<html><head><title>Ti&amp;tle</title><style>p{}</style></head><body>
    <h2>Head</h2><p>One <b>two</b>
    three</p><script>var x = "<p>no</p>";</script>
    <ul><li>a</li><li> b <a href="/x">link</a></li></ul>
    <pre>x
  y</pre><table><tr><td>1</td><td>2</td></tr></table><img alt="cat"></body></html>`;
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  const { page } = fetchFrom({ [url]: { headers, body } }, url);
  expect((await page).content).toBe(
    'Ti&tle\n\n## Head\n\nOne two three\n\n- a\n- b link\n\nx\n  y\n\n1 2\n\n[cat]\n',
  );
});

test.each([
  ['the header', 'text/plain; charset=iso-8859-1', Buffer.from('caf\xe9', 'latin1')],
  ['the page', 'text/html', Buffer.from('<meta charset="iso-8859-1">caf\xe9', 'latin1')],
])('the encoding is that of %s', async (_name, type, body) => {
  const url = 'https://example.test/';
  const { page } = fetchFrom({ [url]: { headers: { 'content-type': type }, body } }, url);
  expect((await page).content.trim()).toBe('café');
});

test.each([
  ['https://example.test/a', '/b', 'https://example.test/b'],
  ['https://private.test/a', 'https://127.0.0.1/b', 'https://127.0.0.1/b'],
])('the page at %s may redirect to %s', async (first, location, second) => {
  const pages = { [first]: to(location), [second]: { headers: plain, body: 'B' } };
  expect(await fetchFrom(pages, first).page).toEqual({ name: first, content: 'B' });
});

const unreachable = 'unreachable';
const isPrivate = /redirects to .+, an address of this machine or of a private network$/;

test.each([
  ['a redirect to http:', to('http://a.test/'), unreachable, /to http:.+ not an https address/],
  ['a redirect to a private name', to('https://private.test/'), unreachable, isPrivate],
  ['a redirect to loopback', to('https://localhost:8443/'), unreachable, isPrivate],
  ['a redirect to an IPv6 address', to('https://[fd00::1]/'), unreachable, isPrivate],
  ['a redirect to a mapped address', to('https://[::ffff:10.0.0.1]/'), unreachable, isPrivate],
  ['a redirect to metadata', to('https://169.254.169.254/'), unreachable, isPrivate],
  ['a loop of redirects', to('https://example.test/'), unreachable, /more than 5 times/],
  ['a redirect to nothing', { status: 301 }, unreachable, /redirects to nowhere/],
  ['an image', { headers: { 'content-type': 'image/png' } }, 'usage', /it is image\/png, not text/],
  ['binary text', { headers: plain, body: 'a\0b' }, 'usage', /its bytes are binary/],
  ['a long text', { headers: plain, body: 'x'.repeat(10_000_001) }, 'usage', /larger than 10 MB/],
  ['an empty text', { headers: plain }, 'usage', /it has no text/],
  ['a missing page', { status: 404 }, 'not_found', /HTTP status 404/],
  ['a broken server', { status: 503 }, unreachable, /HTTP status 503/],
])('%s is refused', async (_name, reply: Page, kind, message) => {
  const url = 'https://example.test/';
  const failure = await failureOf(() => fetchFrom({ [url]: reply }, url).page);
  expect(failure.kind).toBe(kind);
  expect(failure.message).toMatch(message);
});

test.each([
  ['http://example.test/', /only https addresses are fetched/],
  ['https://me:secret@example.test/', /contains a user name or password/],
  ['https://exa mple/', /is not a URL/],
])('%s is refused before anything is sent', async (url, message) => {
  const { page, requests } = fetchFrom({}, url);
  const failure = await failureOf(() => page);
  expect(failure.kind).toBe('usage');
  expect(failure.message).toMatch(message);
  expect(failure.message).not.toContain('secret');
  expect(requests).toEqual([]);
});

test('a server that does not finish within 30 seconds is given up', async () => {
  const { context, clock } = createMemoryContext();
  const page = fetchPage('https://example.test/', {
    network: () => ({
      send: (_request, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      close: () => undefined,
    }),
    context,
    signal: new AbortController().signal,
  });
  const failure = failureOf(() => page);
  await clock.advance(30_000);
  const message = expect.stringMatching(/not complete within 30 seconds/) as string;
  expect(await failure).toMatchObject({ kind: unreachable, message });
});
