import { describe, expect, test } from 'vitest';
import { definitions, settingKeys } from '../../src/settings/definitions.ts';
import { resolveSettings, type SettingLayers } from '../../src/settings/resolve.ts';
import type { Profile } from '../../src/settings/settings-file.ts';
import { jsonRow, listSettings } from '../../src/settings/setting-rows.ts';
import { exampleKey, failureOf, storedWith } from './fixtures/stored.ts';

function resolve(layers: Partial<SettingLayers> = {}) {
  return resolveSettings({ flags: {}, environment: {}, stored: storedWith(), ...layers });
}

describe('precedence', () => {
  const stored = storedWith({ default: { model: 'from-profile' } });

  const environment = { NATTER_MODEL: 'from-environment' };
  test.each([
    ['flag', { flags: { model: 'from-flag' }, environment, stored }, 'from-flag', '--model'],
    ['environment', { environment, stored }, 'from-environment', 'NATTER_MODEL'],
    ['profile', { stored }, 'from-profile', 'default'],
    ['default', {}, 'origin', 'default'],
  ] as const)('K21 the %s is the strongest source with %j', (kind, layers, model, name) => {
    const { values, sources } = resolve(layers);
    expect(values.model).toBe(model);
    expect(sources.model).toEqual({ kind, name });
  });

  test.each(settingKeys)('K21 an empty variable does not change %s', (key) => {
    const empty = { [definitions[key].variable]: '' };
    expect(resolve({ environment: empty }).values[key]).toBe(definitions[key].default);
  });

  test('an empty flag is a value: it removes the system prompt of the profile', () => {
    const withSystem = storedWith({ default: { system: 'Be brief.' } });
    expect(resolve({ flags: { system: '' }, stored: withSystem }).values.system).toBe('');
  });

  test('reads flags, variables and stored values of every type alike', () => {
    const { values } = resolve({
      flags: { timeout: '2m', retries: 7 },
      environment: { NATTER_SAVE: 'off', NATTER_MAX_TOKENS: '500' },
      stored: storedWith({
        default: { 'idle-timeout': '90s', 'connect-timeout': 5, 'allow-insecure': true },
      }),
    });
    expect(values).toMatchObject({
      timeout: 120_000,
      allowInsecure: true,
      retries: 7,
      save: false,
      maxTokens: 500,
      idleTimeout: 90_000,
      connectTimeout: 5000,
    });
  });
});

/** A profile with a field that sets its prototype if it is copied. */
const polluting = storedWith({
  default: { params: JSON.parse('{"__proto__": {"a": 1}}') as Record<string, unknown> },
});
const profileOf = (profile: Profile) => ({ stored: storedWith({ default: profile }) });
const unknown = 'configuration: there is no profile "wrok"; the profiles are default';
const noText =
  'configuration: system in profile default must be text; natter config unset system --profile default';

test.each<[Partial<SettingLayers>, string]>([
  [{ flags: { retries: 'many' } }, 'usage: --retries must be a whole number from 0 to 100'],
  [{ flags: { params: { stream: false } } }, 'natter itself; use --no-stream'],
  [{ environment: { NATTER_TIMEOUT: 'soon' } }, 'configuration: NATTER_TIMEOUT must be a duration'],
  [{ flags: { profile: 'wrok' } }, unknown],
  [{ environment: { NATTER_PROFILE: 'wrok' } }, unknown],
  [profileOf({ system: { text: 'x' } }), noText],
  [profileOf({ system: null }), noText],
  [profileOf({ params: { messages: [] } }), 'messages in profile default is set by natter'],
  [profileOf({ headers: { Authorization: 'Bearer x' } }), 'authorization in profile default'],
  [profileOf({ headers: { host: 'x' } }), 'the header host in profile default is set by natter'],
  [profileOf({ headers: { 'x-a': 'b\r\nx-c: d' } }), 'headers.x-a in profile default must be one'],
  [profileOf({ headers: { 'x a': 'b' } }), '"x a" is not a valid header name in profile default'],
  [profileOf({ prices: { origin: 7 } }), 'prices.origin in profile default must be the prices'],
  [profileOf({ colors: { cod: 'red' } }), '"cod" is not a part of an answer with a colour in'],
  [profileOf({ colors: { code: 'redd' } }), 'colors.code in profile default must be a colour'],
  [{ stored: polluting }, '"__proto__" is not a valid parameter name'],
])('K27 %j fails: %s', async (layers, text) => {
  const { kind, message, hint } = await failureOf(() => resolve(layers));
  expect(`${kind}: ${message}; ${hint}`).toContain(text);
});

test('K8 a key in the wrong variable is not repeated in the message', async () => {
  const environment = { NATTER_BASE_URL: 'example-key-0123456789' };
  const failure = await failureOf(() => resolve({ environment }));
  expect(JSON.stringify([failure.message, failure.hint])).not.toContain('0123456789');
});

describe('the profile in force', () => {
  const stored = storedWith({ work: { model: 'w' }, home: { model: 'h' } }, {}, 'home');

  test.each([
    [{ profile: 'work' }, { NATTER_PROFILE: 'default' }, 'work', 'flag'],
    [{}, { NATTER_PROFILE: 'work' }, 'work', 'environment'],
    [{}, { NATTER_PROFILE: '' }, 'home', 'profile'],
    [{}, {}, 'home', 'profile'],
  ])('flags %j and environment %j give %s', (flags, environment, name, kind) => {
    const { profile } = resolve({ flags, environment, stored });
    expect(profile).toMatchObject({ value: name, source: { kind } });
  });

  test('may be new for a command that creates it', () => {
    const settings = resolve({ flags: { profile: 'new' }, stored, allowNewProfile: true });
    expect(settings.profile.value).toBe('new');
    expect(settings.values.model).toBe('origin');
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'K27 the name %s reaches no prototype',
    async (profile) => {
      const failure = await failureOf(() => resolve({ flags: { profile } }));
      expect(failure.kind).toMatch(/usage|configuration/);
    },
  );
});

describe('families of settings', () => {
  const stored = storedWith({
    default: {
      params: { temperature: 0.2, stop: ['END'] },
      headers: { 'X-Team': 'blue', 'user-agent': 'mine' },
      colors: { code: 'Bold red' },
    },
  });

  test('a flag adds to and overrides the parameters of the profile', () => {
    const { params } = resolve({ flags: { params: { temperature: 1, seed: null } }, stored });
    expect(params).toEqual({
      temperature: { value: 1, source: { kind: 'flag', name: '--param' } },
      seed: { value: null, source: { kind: 'flag', name: '--param' } },
      stop: { value: ['END'], source: { kind: 'profile', name: 'default' } },
    });
  });

  test('header names are in lower case, and colours in one spelling', () => {
    expect(resolve({ stored })).toMatchObject({
      headers: { 'x-team': 'blue', 'user-agent': 'mine' },
      colors: { code: 'red bold' },
    });
  });
});

const home = 'https://api.example.com';
const stored = storedWith(
  { default: { 'base-url': `${home}/v1` } },
  { default: { apiKey: exampleKey, baseUrl: home } },
);

const resolveStored = (layers: Partial<SettingLayers> = {}) => resolve({ stored, ...layers });

describe('the key', () => {
  test('is the stored key if the base URL has its origin', () => {
    const { apiKey, unsentSecrets } = resolveStored();
    expect(apiKey).toEqual({ value: exampleKey, source: { kind: 'profile', name: 'default' } });
    expect(unsentSecrets).toEqual([]);
  });

  test.each([
    [`${home}:443/v1`, true],
    ['HTTPS://API.EXAMPLE.COM/other', true],
    ['https://ada:secret@api.example.com', true],
    ['https://elsewhere.example', false],
    ['https://api.example.com.elsewhere.example', false],
    ['https://api.example.com@elsewhere.example', false],
    ['https://api.example.com:8443', false],
    ['http://api.example.com', false],
    ['http://127.0.0.1:8080', false],
  ])('K23 is sent only to its own origin: %s %j', (baseUrl, isSent) => {
    const { apiKey, unsentSecrets } = resolveStored({ flags: { baseUrl } });
    const requested = new URL(baseUrl).origin;
    const text = `the API key of profile default was not sent: it belongs to ${home}, not to ${requested}`;
    expect(apiKey?.value).toBe(isSent ? exampleKey : undefined);
    expect(unsentSecrets).toEqual(isSent ? [] : [{ what: 'API key', text }]);
  });

  test('K23 is not sent to a different address of a changed config.json', () => {
    const changed = storedWith(
      { default: { 'base-url': 'https://elsewhere.example' } },
      stored.credentials.profiles,
    );
    expect(resolveStored({ stored: changed }).apiKey).toBeUndefined();
  });

  test.each([
    ['from-environment', ' from-environment\n', 'environment'],
    [exampleKey, '', 'profile'],
  ])('K21 %s is the key with that of the environment %j', (value, text, kind) => {
    const environment = { NATTER_API_KEY: text };
    const baseUrl = text === '' ? home : 'https://elsewhere.example';
    const { apiKey } = resolveStored({ environment, flags: { baseUrl } });
    expect(apiKey).toMatchObject({ value, source: { kind } });
  });

  test('is not that of a different profile, and absent without a base URL', () => {
    const two = storedWith({ work: { 'base-url': home } }, stored.credentials.profiles);
    expect(resolveStored({ stored: two, flags: { profile: 'work' } }).apiKey).toBeUndefined();
    const bare = storedWith({}, stored.credentials.profiles);
    expect(resolveStored({ stored: bare }).apiKey).toBeUndefined();
  });

  test('K10 fails without being shown if it is not valid in a header', async () => {
    const environment = { NATTER_API_KEY: 'exa\nmple' };
    const failure = await failureOf(() => resolveStored({ environment }));
    expect(failure.message).toBe('NATTER_API_KEY contains a line break');
    const credentials = { default: { apiKey: 'b\u00e4d', baseUrl: home } };
    const bad = storedWith({ default: { 'base-url': home } }, credentials);
    expect((await failureOf(() => resolveStored({ stored: bad }))).message).toMatch(
      /^the stored key of profile default contains a character/,
    );
  });
});

test.each([
  [{}, ['x-api-key', 'x-team'], []],
  [{ baseUrl: 'https://elsewhere.example' }, ['x-team'], ['header x-api-key']],
])(
  'K23 headers that look like secrets are sent only to their service: %j',
  (flags, sent, unsent) => {
    const headers = { 'x-api-key': 'hidden', 'x-team': 'blue' };
    const withHeaders = storedWith({ default: { 'base-url': home, headers } });
    const resolved = resolveStored({ stored: withHeaders, flags });
    expect(Object.keys(resolved.headers)).toEqual(sent);
    expect(resolved.unsentSecrets.map(({ what }) => what)).toEqual(unsent);
  },
);

const command = 'pass show natter';
const withCommand = storedWith({ work: { 'base-url': home, 'api-key-command': command } }, {});
const variable = { NATTER_API_KEY_COMMAND: 'op read x' };

const resolveWork = (layers: Partial<SettingLayers> = {}) =>
  resolveStored({ flags: { profile: 'work' }, stored: withCommand, ...layers });

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
    const requested = new URL(baseUrl).origin;
    expect(unsentSecrets.map(({ text }) => text)).toEqual([
      `the API key of profile work was not sent: it belongs to ${home}, not to ${requested}`,
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
  expect(unsentSecrets.map(({ text }) => text)).toEqual([
    'the API key of profile default was not sent: it belongs to no base URL, not to https://api.example.com',
  ]);
});

test('a variable with a command is for other machines; that of a profile for this one, too', () => {
  for (const baseUrl of ['http://localhost:11434', 'http://127.0.0.1:8080', 'http://[::1]:8080']) {
    const layers = { flags: { baseUrl }, environment: variable, stored: storedWith({}, {}) };
    expect(resolveSettings(layers)).not.toHaveProperty('apiKeyCommand');
  }
  const own = { 'base-url': 'http://127.0.0.1:4000', 'api-key-command': command };
  const local = storedWith({ work: own }, {});
  expect(resolveWork({ stored: local }).apiKeyCommand?.value).toBe(command);
});

const listed = storedWith(
  {
    default: {
      'base-url': 'https://ada:passphrase@api.example.com',
      params: { stop: ['END'] },
      headers: { 'x-team-token': 'token-0123456789', 'x-team': 'blue' },
    },
  },
  { default: { apiKey: exampleKey, baseUrl: 'https://api.example.com' } },
);

function rows() {
  return listSettings(resolveSettings({ flags: { retries: 2 }, environment: {}, stored: listed }));
}

test('lists the settings in force with their sources', () => {
  expect(rows()).toEqual(
    expect.arrayContaining([
      { name: 'retries', value: 2, source: { kind: 'flag', name: '--retries' } },
      { name: 'retry-max-wait', value: '1m', source: { kind: 'default', name: 'default' } },
      { name: 'headers.x-team', value: 'blue', source: { kind: 'profile', name: 'default' } },
    ]),
  );
});

test('Y14 K15 K25: values have the types of the settings file, and keys, passwords and secret headers are masked', () => {
  const values = Object.fromEntries(rows().map((row) => [row.name, jsonRow(row).value]));
  expect(values).toMatchObject({
    model: 'origin',
    'max-tokens': null,
    retries: 2,
    'retry-max-wait': '1m',
    'allow-insecure': false,
    'params.stop': ['END'],
    'headers.x-team': 'blue',
    'headers.x-team-token': '…',
    'base-url': 'https://…@api.example.com',
    'api-key': '…wxyz',
  });
});
