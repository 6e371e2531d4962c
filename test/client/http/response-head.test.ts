import { expect, test } from 'vitest';
import { parseHead } from '../../../src/client/http/node/response-head.ts';

const head = (...lines: readonly string[]) => lines.join('\r\n');
const ok = 'HTTP/1.1 200 OK';
const chunks = 'Transfer-Encoding: chunked';

test('the head of a usual response is parsed', () => {
  const text = head(
    ok,
    'Content-Type:text/event-stream ',
    chunks,
    'set-cookie: a=1',
    'Set-Cookie: b',
  );
  expect(parseHead(text)).toEqual({
    headers: {
      'content-type': 'text/event-stream',
      'transfer-encoding': 'chunked',
      'set-cookie': ['a=1', 'b'],
    },
    length: undefined,
  });
});

test.each(['HTTP/1.1 200', 'HTTP/1.1 200 '])('a reason may be missing: %j', (line) => {
  expect(parseHead(head(line, 'content-length: 12'))?.length).toBe(12);
});

test.each([
  ['another status', head('HTTP/1.1 201 Created', chunks)],
  ['an interim response', 'HTTP/1.1 100 Continue'],
  ['another version', head('HTTP/1.0 200 OK', chunks)],
  ['no framing', head(ok, 'content-type: text/plain')],
  ['two framings', head(ok, chunks, 'content-length: 3')],
  ['another coding', head(ok, 'transfer-encoding: gzip, chunked')],
  ['an invalid length', head(ok, 'content-length: -1')],
  ['a repeated header', head(ok, chunks, 'x-request-id: a', 'X-Request-Id: b')],
  ['a folded header', head(ok, chunks, 'x-a: b', ' c')],
  ['a space before the colon', head(ok, chunks, 'x-a : b')],
  ['a control character', head(ok, chunks, 'x-a: b\u0000')],
  ['a no-break space, which Node keeps', head(ok, chunks, 'x-a: b\u00a0')],
  ['a bare line end', head(ok, `${chunks}\nx-a: b`)],
  ['a name of objects', head(ok, chunks, '__proto__: b')],
  ['a method of objects', head(ok, chunks, 'constructor: b')],
  ['an upgrade', head(ok, chunks, 'upgrade: h2c')],
  ['trailers', head(ok, chunks, 'trailer: x-a')],
])("Node's parser reads %s", (_name, text) => {
  expect(parseHead(text)).toBeUndefined();
});
