import { expect, test } from 'vitest';
import {
  parseErrorBody,
  shortText,
  type ErrorBody,
} from '../../../src/client/failure/error-body.ts';
import { expectForAll, fc } from '../../support/properties.ts';
import { requestIdOf } from '../../../src/client/failure/service-failure.ts';
import { unmasked } from '../../support/secret.ts';

type Summary = Pick<ErrorBody, 'message' | 'status'> & { readonly name?: string };

const parse = (text: string, contentType?: string) => parseErrorBody(text, contentType, unmasked);

const error = (fields: object) => ({ error: { message: 'm', ...fields } });
const named = (name: string, more: Summary = {}): Summary => ({ name, message: 'm', ...more });

test.each<readonly [body: unknown, summary: Summary]>([
  [error({ name: 'rate_limited' }), named('rate_limited')],
  [{ error: { code: 'not_found', detail: 'm' } }, named('not_found')],
  [error({ type: 'invalid', param: null, code: null }), named('invalid')],
  [error({ type: 'invalid', code: 'model_not_found' }), named('model_not_found')],
  [{ name: 'forbidden', message: 'm' }, named('forbidden')],
  [{ error: 'unauthorized', message: 'm' }, named('unauthorized')],
  [{ error: 'model is busy' }, { message: 'model is busy' }],
  [{ error: 'unauthorized' }, named('unauthorized', { message: 'unauthorized' })],
  [{ detail: 'm' }, { message: 'm' }],
  [
    { detail: [{ loc: ['body', 'messages', 0], msg: 'required', type: 'missing' }, { msg: 'n' }] },
    named('missing', { message: 'body.messages.0: required; n' }),
  ],
  [{ detail: error({ code: 'server_error' }) }, named('server_error')],
  [{ errors: [{ message: 'm' }] }, { message: 'm' }],
  [[error({ code: 404, status: 'NOT_FOUND' })], named('NOT_FOUND', { status: 404 })],
  [error({ code: 400, type: 'exceed_context' }), named('exceed_context', { status: 400 })],
  [error({ code: '503' }), { message: 'm', status: 503 }],
  // A number that is not a status.
  [error({ code: 1001 }), { message: 'm' }],
  [
    { type: 'about:blank', title: 'Forbidden', status: 403, detail: 'm' },
    { message: 'm', status: 403 },
  ],
  // A status that is not a name.
  [{ status: 'error', message: 'm' }, { message: 'm' }],
  ['m', { message: 'm' }],
  [{}, {}],
  [null, {}],
  [error({ message: '', code: '' }), {}],
  [{ message: ' a\n\tb \r\n' }, { message: 'a b' }],
])('reads the JSON %j as %j', (body, summary) => {
  const { names, message, status } = parse(JSON.stringify(body), 'application/json');
  expect({ name: names[0], message, status }).toStrictEqual({
    name: undefined,
    message: undefined,
    status: undefined,
    ...summary,
  });
});

test.each([
  ['plain text', 'Internal Server Error\n', 'text/plain', 'Internal Server Error'],
  ['no type', 'busy', undefined, 'busy'],
  [
    'a page with a title',
    '<html><head><TITLE lang=en>\n502 Bad &amp; Gateway</TITLE></head>secret',
    'text/html',
    '502 Bad & Gateway',
  ],
  ['a page called JSON', '\n<!DOCTYPE html><title>Down</title>', 'application/json', 'Down'],
  [
    'N13: a page without a title',
    '<html><style>p {}</style><body><h1>502</h1><!-- no --><p>Bad &amp;\nold</body></html>',
    'text/html',
    '502 Bad & old',
  ],
  ['a page with an unfinished title', '<html><title>Down', 'text/html', 'Down'],
  ['an empty title', '<title> </title>', 'text/html', undefined],
  ['XML', '<?xml version="1.0"?><Error><Code>secret</Code></Error>', 'application/xml', undefined],
  ['broken JSON', '{"error": {"message": "secret', 'application/json', undefined],
  ['an empty body', '', 'application/json', undefined],
  ['white space', ' \n ', undefined, undefined],
])('a body that is not JSON: %s', (_, body, type, message) => {
  expect(parse(body, type).message).toBe(message);
});

test('cuts a long message, but never within a character', () => {
  const { message = '' } = parse(`a${'😀'.repeat(5000)}`);
  expect(message).toBe(`a${'😀'.repeat(249)}…`);
});

test('reads any JSON, however deep, without throwing and without more than 500 characters', () => {
  expectForAll(fc.json({ maxDepth: 12 }), (body) => {
    expect((parse(body).message ?? '').length).toBeLessThanOrEqual(501);
  });
  const deep = '{"error":'.repeat(5000) + '"m"' + '}'.repeat(5000);
  expect(parse(deep)).toStrictEqual({ names: [] });
});

test('N13: shows at most 200 characters of a page without a title', () => {
  expect(parse(`<p>${'word '.repeat(100)}`, 'text/html').message).toMatch(/^.{150,200}…$/);
});

test('searches for a title in linear time', () => {
  expect(parse('<title '.repeat(1_000_000)).message).toBeUndefined();
});

test.each([
  [3, 'm'],
  [4, undefined],
])('a message %d levels below the error is %s', (levels, message) => {
  let value: unknown = 'm';
  for (let level = 0; level < levels; level += 1) value = [value];
  expect(parse(JSON.stringify({ error: value })).message).toBe(message);
});

const secret = 'sk-live-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c';
const mask = (text: string) => text.replaceAll(secret, '***');

/** Texts with the secret at each place around a cut. */
const around = (cut: number) =>
  Array.from(
    { length: 60 },
    (_place, index) => `${'x '.repeat(cut).slice(0, cut - 50 + index)}${secret}`,
  );

test.each([500, 2000])('X2: no part of a secret is left where a text is cut at %d', (cut) => {
  for (const text of around(cut)) {
    const shown = [
      shortText(text, mask),
      parseErrorBody(JSON.stringify({ error: { message: text } }), undefined, mask).message,
      parseErrorBody(text, 'text/plain', mask).message,
      requestIdOf({ 'x-request-id': text }, mask),
    ];
    expect(shown.filter((one) => one?.includes('sk-live'))).toEqual([]);
  }
});
