import { describe, expect, test } from 'vitest';

import { definitions, settingKeys } from '../../src/settings/definitions.ts';
import { resolveSettings, type SettingLayers } from '../../src/settings/resolve.ts';
import type { Profile } from '../../src/settings/stored-settings.ts';
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
  [
    profileOf({ params: { messages: [] } }),
    'parameter messages in profile default is set by natter',
  ],
  [
    profileOf({ headers: { Authorization: 'Bearer x' } }),
    'header authorization in profile default',
  ],
  [profileOf({ headers: { host: 'x' } }), 'the header host in profile default is set by natter'],
  [profileOf({ headers: { 'x-a': 'b\r\nx-c: d' } }), 'headers.x-a in profile default must be one'],
  [profileOf({ headers: { 'x a': 'b' } }), '"x a" is not a valid header name in profile default'],
  [profileOf({ prices: { origin: 7 } }), 'prices.origin in profile default must be the prices'],
  [
    profileOf({ colors: { cod: 'red' } }),
    '"cod" is not a part of an answer with a colour in profile',
  ],
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
