import { describe, expect, test } from 'vitest';
import { type SettingLayers, resolveSettings } from '../../src/settings/resolve.ts';
import { describeUnsent } from '../../src/settings/resolved-settings.ts';
import { exampleKey, failureOf, storedWith } from './fixtures/stored.ts';

const home = 'https://api.example.com';
const stored = storedWith(
  { default: { 'base-url': `${home}/v1` } },
  { default: { apiKey: exampleKey, baseUrl: home } },
);

function resolve(layers: Partial<SettingLayers> = {}) {
  return resolveSettings({ flags: {}, environment: {}, stored, ...layers });
}

describe('the key', () => {
  test('is the stored key if the base URL has its origin', () => {
    const { apiKey, unsentSecrets } = resolve();
    expect(apiKey).toEqual({ value: exampleKey, source: { kind: 'profile', name: 'default' } });
    expect(unsentSecrets).toEqual([]);
  });

  test.each([
    'https://api.example.com:443/v1',
    'HTTPS://API.EXAMPLE.COM/other',
    'https://ada:secret@api.example.com',
  ])('is sent to the same origin written as %s', (baseUrl) => {
    expect(resolve({ flags: { baseUrl } }).apiKey?.value).toBe(exampleKey);
  });

  test.each([
    'https://elsewhere.example',
    'https://api.example.com.elsewhere.example',
    'https://api.example.com@elsewhere.example',
    'https://api.example.com:8443',
    'http://api.example.com',
    'http://127.0.0.1:8080',
  ])('K23 is not sent to %s of a flag', (baseUrl) => {
    const { apiKey, unsentSecrets } = resolve({ flags: { baseUrl } });
    expect(apiKey).toBeUndefined();
    expect(unsentSecrets).toEqual([
      {
        what: 'API key',
        profile: 'default',
        belongsTo: home,
        requested: new URL(baseUrl).origin,
      },
    ]);
  });

  test('K23 is not sent to a different address of a variable', () => {
    const { unsentSecrets } = resolve({
      environment: { NATTER_BASE_URL: 'https://elsewhere.example' },
    });
    expect(unsentSecrets.map(describeUnsent)).toEqual([
      'the API key of profile default was not sent: it belongs to https://api.example.com, not to https://elsewhere.example',
    ]);
  });

  test('K23 is not sent to a different address of a changed config.json', () => {
    const changed = storedWith(
      { default: { 'base-url': 'https://elsewhere.example' } },
      stored.credentials.profiles,
    );
    expect(resolve({ stored: changed }).apiKey).toBeUndefined();
  });

  test('of the environment is sent to any base URL', () => {
    const environment = { NATTER_API_KEY: ' from-environment\n' };
    const { apiKey } = resolve({ environment, flags: { baseUrl: 'https://elsewhere.example' } });
    expect(apiKey).toEqual({
      value: 'from-environment',
      source: { kind: 'environment', name: 'NATTER_API_KEY' },
    });
  });

  test('K21 of the environment counts as unset if it is empty', () => {
    expect(resolve({ environment: { NATTER_API_KEY: '' } }).apiKey?.value).toBe(exampleKey);
  });

  test('is not that of a different profile', () => {
    const two = storedWith({ work: { 'base-url': home } }, stored.credentials.profiles);
    expect(resolve({ stored: two, flags: { profile: 'work' } }).apiKey).toBeUndefined();
  });

  test('is absent without a base URL', () => {
    const bare = storedWith({}, stored.credentials.profiles);
    expect(resolve({ stored: bare }).apiKey).toBeUndefined();
  });

  test('K10 fails without being shown if it is not valid in a header', async () => {
    const environment = { NATTER_API_KEY: 'exa\nmple' };
    const failure = await failureOf(() => resolve({ environment }));
    expect(failure.message).toBe('NATTER_API_KEY contains a line break');
    const credentials = { default: { apiKey: 'b\u00e4d', baseUrl: home } };
    const bad = storedWith({ default: { 'base-url': home } }, credentials);
    expect((await failureOf(() => resolve({ stored: bad }))).message).toMatch(
      /^the stored key of profile default contains a character/,
    );
  });
});

describe('headers that look like secrets', () => {
  const withHeaders = storedWith({
    default: { 'base-url': home, headers: { 'x-api-key': 'hidden', 'x-team': 'blue' } },
  });

  test('are sent to the base URL of their profile', () => {
    const { headers, unsentSecrets } = resolve({ stored: withHeaders });
    expect(Object.keys(headers)).toEqual(['x-api-key', 'x-team']);
    expect(unsentSecrets).toEqual([]);
  });

  test('K23 are sent to no other origin, unlike plain headers', () => {
    const flags = { baseUrl: 'https://elsewhere.example' };
    const { headers, unsentSecrets } = resolve({ stored: withHeaders, flags });
    expect(Object.keys(headers)).toEqual(['x-team']);
    expect(unsentSecrets.map(({ what }) => what)).toEqual(['header x-api-key']);
  });
});

test.each([
  [{}, {}, {}, false],
  [{ 'allow-insecure': true }, {}, {}, true],
  [{ 'allow-insecure': true }, { NATTER_ALLOW_INSECURE: 'no' }, {}, false],
  [{}, {}, { allowInsecure: true }, true],
])(
  'permission to send a key over plain http K14 profile %j, environment %j, flags %j: %s',
  (profile, environment, flags, allowed) => {
    const layers = { stored: storedWith({ default: profile }), environment, flags };
    expect(resolve(layers).values.allowInsecure).toBe(allowed);
  },
);

const command = 'pass show natter';
const withCommand = storedWith({ work: { 'base-url': home, 'api-key-command': command } }, {});
const variable = { NATTER_API_KEY_COMMAND: 'op read x' };

const resolveWork = (layers: Partial<SettingLayers> = {}) =>
  resolve({ flags: { profile: 'work' }, stored: withCommand, ...layers });

test.each([
  ['that of the profile', {}, undefined, command],
  ['that of a variable', variable, undefined, 'op read x'],
  ['none for a key of a variable', { NATTER_API_KEY: exampleKey, ...variable }, exampleKey],
] as const)('the command for the key is %s', (_name, environment, key, printing?: string) => {
  const { apiKey, apiKeyCommand } = resolveWork({ environment });
  expect(apiKey?.value).toBe(key);
  expect(apiKeyCommand?.value).toBe(printing);
});

test('a command overrides a stored key', () => {
  const both = storedWith(
    { work: { 'base-url': home, 'api-key-command': command } },
    { work: { apiKey: exampleKey, baseUrl: home } },
  );
  const { apiKey, apiKeyCommand } = resolveWork({ stored: both });
  expect(apiKey).toBeUndefined();
  expect(apiKeyCommand?.value).toBe(command);
});

test.each(['https://elsewhere.example', 'http://127.0.0.1:8080', 'http://api.example.com'])(
  'the key of a profile with a command is not sent to %s',
  (baseUrl) => {
    const { apiKeyCommand, unsentSecrets } = resolveWork({ flags: { profile: 'work', baseUrl } });
    expect(apiKeyCommand).toBeUndefined();
    expect(unsentSecrets).toEqual([
      { what: 'API key', profile: 'work', belongsTo: home, requested: new URL(baseUrl).origin },
    ]);
  },
);

test('a command in a profile without a service prints no key for another service', () => {
  const { apiKeyCommand, unsentSecrets } = resolveSettings({
    flags: {},
    environment: { NATTER_BASE_URL: home },
    stored: storedWith({ default: { 'api-key-command': command } }, {}),
  });
  expect(apiKeyCommand).toBeUndefined();
  expect(unsentSecrets).toMatchObject([{ belongsTo: 'no base URL', requested: home }]);
});

test.each(['http://localhost:11434', 'http://127.0.0.1:8080', 'http://[::1]:8080'])(
  'a variable with a command is for other machines, not for %s',
  (baseUrl) => {
    const layers = { flags: { baseUrl }, environment: variable, stored: storedWith({}, {}) };
    expect(resolveSettings(layers)).not.toHaveProperty('apiKeyCommand');
  },
);

test('the command of a profile is for its service on this machine, too', () => {
  const local = storedWith(
    { work: { 'base-url': 'http://127.0.0.1:4000', 'api-key-command': command } },
    {},
  );
  expect(resolveWork({ stored: local }).apiKeyCommand?.value).toBe(command);
});
