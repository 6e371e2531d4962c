import { expect, test } from 'vitest';
import { endpointUrl, hostAndPort, parseBaseUrl } from '../../../src/client/http/base-url.ts';
import { Failure } from '../../../src/failure.ts';

test.each([
  ['https://api.test', 'https://api.test/v1/models'],
  ['https://api.test/', 'https://api.test/v1/models'],
  ['https://api.test/v1', 'https://api.test/v1/models'],
  ['https://api.test/v1/', 'https://api.test/v1/models'],
  ['https://api.test//', 'https://api.test/v1/models'],
  ['https://api.test/openai', 'https://api.test/openai/models'],
  ['https://gemini.test/v1beta/openai/', 'https://gemini.test/v1beta/openai/models'],
  ['https://github.test/inference', 'https://github.test/inference/models'],
  ['https://zhipu.test/api/paas/v4', 'https://zhipu.test/api/paas/v4/models'],
  ['https://volcano.test/api/v3', 'https://volcano.test/api/v3/models'],
  ['https://api.test/custom/chat/completions', 'https://api.test/custom/models'],
  [
    'https://azure.test/openai/deployments/gpt?api-version=2024-10-21',
    'https://azure.test/openai/deployments/gpt/models?api-version=2024-10-21',
  ],
  [
    'https://azure.test/openai/deployments/gpt/chat/completions?api-version=2024-10-21',
    'https://azure.test/openai/deployments/gpt/models?api-version=2024-10-21',
  ],
  ['https://api.test/openai/v1/', 'https://api.test/openai/v1/models'],
  ['https://api.test/v1/chat/completions', 'https://api.test/v1/models'],
  ['https://api.test/openai/v1/models/', 'https://api.test/openai/v1/models'],
  ['https://api.test/dev1', 'https://api.test/dev1/v1/models'],
  [' http://127.0.0.1:8080 ', 'http://127.0.0.1:8080/v1/models'],
  ['http://[::1]:8080/v1?x=1#y', 'http://[::1]:8080/v1/models'],
])('N3 requests the models of %s at %s', (text, expected) => {
  expect(endpointUrl(parseBaseUrl(text), 'models').href).toBe(expected);
});

test.each([
  ['https://api.test', '/', 'https://api.test/models'],
  ['https://api.test/', '/v3', 'https://api.test/v3/models'],
  ['https://api.test/gateway', '/api/v3/', 'https://api.test/gateway/api/v3/models'],
])('N3 requests the models of %s with the API path %s at %s', (text, apiPath, expected) => {
  expect(endpointUrl(parseBaseUrl(text, apiPath), 'models').href).toBe(expected);
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
