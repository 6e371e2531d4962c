import { describe, expect, test } from 'vitest';

import { definitions, settingKeys } from '../../src/settings/definitions.ts';
import { resolveSettings, type SettingLayers } from '../../src/settings/resolve.ts';
import { failureOf, storedWith } from './fixtures/stored.ts';

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
      flags: { timeout: '2m', allowInsecure: true, retries: 7 },
      environment: { NATTER_SAVE: 'off', NATTER_MAX_TOKENS: '500' },
      stored: storedWith({ default: { 'idle-timeout': '90s', 'connect-timeout': 5 } }),
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

describe('bad values', () => {
  test.each([
    [{ flags: { retries: 'many' } }, 'usage', '--retries must be a whole number from 0 to 100'],
    [{ environment: { NATTER_TIMEOUT: 'soon' } }, 'configuration', 'NATTER_TIMEOUT must be a dur'],
  ])('%j is a failure with its name', async (layers, kind, message) => {
    const failure = await failureOf(() => resolve(layers));
    expect(failure.kind).toBe(kind);
    expect(failure.message).toContain(message);
  });

  test.each([{ system: { text: 'x' } }, { system: null }, { system: ['x'] }])(
    'a bad stored value is a configuration failure that names the profile and the way out: %j',
    async (profile) => {
      const stored = storedWith({ default: profile });
      expect(await failureOf(() => resolve({ stored }))).toMatchObject({
        kind: 'configuration',
        message: 'system in profile default must be text',
        hint: 'natter config unset system --profile default',
      });
    },
  );

  test('K8 a key in the wrong variable is not repeated in the message', async () => {
    const environment = { NATTER_BASE_URL: 'example-key-0123456789' };
    const failure = await failureOf(() => resolve({ environment }));
    expect(JSON.stringify([failure.message, failure.hint])).not.toContain('0123456789');
  });
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

  test.each([
    [{ profile: 'wrok' }, {}],
    [{}, { NATTER_PROFILE: 'wrok' }],
  ])('an unknown one fails with the known ones in the hint: %j %j', async (flags, environment) => {
    expect(await failureOf(() => resolve({ flags, environment, stored }))).toMatchObject({
      kind: 'configuration',
      message: 'there is no profile "wrok"',
      hint: 'the profiles are default, home, work',
    });
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

  test.each([
    [{ params: { messages: [] } }, 'the parameter messages in profile default is set by natter'],
    [{ headers: { Authorization: 'Bearer x' } }, 'the header authorization in profile default'],
    [{ headers: { host: 'x' } }, 'the header host in profile default is set by natter'],
    [{ headers: { 'x-a': 'b\r\nx-c: d' } }, 'headers.x-a in profile default must be one line'],
    [{ headers: { 'x a': 'b' } }, '"x a" is not a valid header name in profile default'],
    [{ prices: { origin: 7 } }, 'prices.origin in profile default must be the prices'],
    [{ colors: { cod: 'red' } }, '"cod" is not a part of an answer with a colour in profile'],
    [{ colors: { code: 'redd' } }, 'colors.code in profile default must be a colour'],
  ])('a profile of %j fails', async (profile, message) => {
    const failure = await failureOf(() => resolve({ stored: storedWith({ default: profile }) }));
    expect(failure.kind).toBe('configuration');
    expect(failure.message).toContain(message);
  });

  test('K27 a parameter named __proto__ in the file fails', async () => {
    const params: Record<string, unknown> = JSON.parse('{"__proto__": {"a": 1}}');
    const bad = storedWith({ default: { params } });
    const failure = await failureOf(() => resolve({ stored: bad }));
    expect(failure.message).toContain('"__proto__" is not a valid parameter name');
  });

  test('a flag cannot set a field of natter', async () => {
    const failure = await failureOf(() => resolve({ flags: { params: { stream: false } } }));
    expect(failure).toMatchObject({ kind: 'usage', hint: 'use --no-stream' });
  });
});
