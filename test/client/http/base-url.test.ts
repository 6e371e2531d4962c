import { expect, test } from 'vitest';
import { endpointUrl, hostAndPort, parseBaseUrl } from '../../../src/client/http/base-url.ts';
import { Failure } from '../../../src/failure.ts';

test.each([
  ['https://api.test', 'https://api.test/v1/models'],
  ['https://api.test/', 'https://api.test/v1/models'],
  ['https://api.test/v1', 'https://api.test/v1/models'],
  ['https://api.test/v1/', 'https://api.test/v1/models'],
  ['https://api.test//', 'https://api.test/v1/models'],
  ['https://api.test/openai', 'https://api.test/openai/v1/models'],
  ['https://api.test/openai/v1/', 'https://api.test/openai/v1/models'],
  ['https://api.test/v1/chat/completions', 'https://api.test/v1/models'],
  ['https://api.test/openai/v1/models/', 'https://api.test/openai/v1/models'],
  ['https://api.test/dev1', 'https://api.test/dev1/v1/models'],
  [' http://127.0.0.1:8080 ', 'http://127.0.0.1:8080/v1/models'],
  ['http://[::1]:8080/v1?x=1#y', 'http://[::1]:8080/v1/models'],
])('requests the models of %s at %s', (text, expected) => {
  expect(endpointUrl(parseBaseUrl(text), 'models').href).toBe(expected);
});

test.each([
  ['', 'is not a URL'],
  ['api.test', 'is not a URL'],
  ['https://', 'is not a URL'],
  ['ftp://api.test', 'is neither https nor http'],
])('refuses "%s": it %s', (text, problem) => {
  expect(() => parseBaseUrl(text)).toThrow(problem);
});

test.each([
  'https://user:secret@api.test',
  'https://user:secret@api.test:x',
  'user:secret@api.test',
])('K15 refuses %s without showing its password', (text) => {
  expect(() => parseBaseUrl(text)).toThrow(Failure);
  expect(() => parseBaseUrl(text)).not.toThrow(/secret/);
});

test.each([
  ['https://api.test', 'api.test:443'],
  ['http://api.test', 'api.test:80'],
  ['http://[::1]:8080', '[::1]:8080'],
])('names host and port of %s: %s', (url, expected) => {
  expect(hostAndPort(new URL(url))).toBe(expected);
});
