import { describe, expect, test } from 'vitest';

import {
  deleteProfile,
  getStoredSetting,
  saveService,
  setStoredSetting,
  useProfile,
} from '../../src/settings/profiles.ts';
import { exampleKey, failureOf, storedWith } from './fixtures/stored.ts';

const credential = { apiKey: exampleKey, baseUrl: 'https://api.example.com' };

describe('setStoredSetting', () => {
  test.each([
    ['model', 'nextgen', { model: 'nextgen' }],
    ['timeout', '90000ms', { timeout: '90s' }],
    ['max-tokens', '500', { 'max-tokens': 500 }],
    ['save', 'off', { save: false }],
    ['base-url', ' https://api.example.com/ ', { 'base-url': 'https://api.example.com/' }],
    ['params.temperature', '0.2', { params: { temperature: 0.2 } }],
    ['params.a.b', '{"c":[1]}', { params: { 'a.b': { c: [1] } } }],
    ['prices.origin', '0.50/1.5', { prices: { origin: '0.5/1.5 USD' } }],
    ['prices.a/b.c', ' 1 / 2 eur', { prices: { 'a/b.c': '1/2 EUR' } }],
    ['colors.code', ' Bold RED', { colors: { code: 'red bold' } }],
    ['headers.X-Team', ' blue ', { headers: { 'x-team': 'blue' } }],
  ])('stores %s %j as %j', (setting, text, profile) => {
    const stored = storedWith();
    setStoredSetting(stored, 'default', setting, text);
    expect(stored.settings.profiles['default']).toEqual(profile);
  });

  test('keeps everything else, including unknown keys', () => {
    const future = JSON.parse('{"future": {"a": 1}, "__proto__": {"b": 2}}') as object;
    const stored = storedWith({ work: { model: 'w', ...future, params: { seed: 1 } } });
    setStoredSetting(stored, 'work', 'params.top_p', '1');
    expect(stored.settings.profiles).toEqual({
      work: { model: 'w', ...future, params: { seed: 1, top_p: 1 } },
    });
  });

  test.each([
    ['modle', 'x', 'there is no setting "modle"'],
    ['params', '1', 'there is no setting "params"'],
    ['params.', '1', '"" is not a valid parameter name'],
    ['params.model', '"x"', 'the parameter model is set by natter itself'],
    ['headers.content-length', '1', 'the header content-length is set by natter itself'],
    ['headers.x-a', '\u00e9', 'headers.x-a must be one line of plain ASCII text'],
    ['prices.', '1/2', '"" is not a model'],
    ['timeout', 'soon', 'timeout must be a duration such as'],
  ])('refuses %s %j', async (setting, text, message) => {
    const failure = await failureOf(() => setStoredSetting(storedWith(), 'p', setting, text));
    expect(failure.kind).toBe('usage');
    expect(failure.message).toContain(message);
  });

  const keyNames = ['api-key', 'apiKey', 'token', 'headers.Authorization'];
  test.each(keyNames)(
    'K1 refuses a key as the setting %s, and says how to keep one',
    async (name) => {
      const failure = await failureOf(() => setStoredSetting(storedWith(), 'p', name, exampleKey));
      expect(failure.kind).toBe('usage');
      expect(failure.hint).toMatch(/natter auth login$/);
      expect(failure.message).not.toContain(exampleKey);
    },
  );

  const unsafe = ['params.__proto__', 'params.constructor', 'headers.__proto__', '__proto__.a'];
  test.each(unsafe)('K27 refuses the setting %s', async (setting) => {
    const set = () => setStoredSetting(storedWith(), 'default', setting, '{"polluted":1}');
    expect((await failureOf(set)).kind).toBe('usage');
    expect({}).not.toHaveProperty('polluted');
  });

  const badNames = ['__proto__', 'constructor', '../x', 'a/b', '', '.hidden', 'a b', 'a\u0000'];
  test.each(badNames)('K27 refuses the profile name %j', async (profile) => {
    const set = () => setStoredSetting(storedWith(), profile, 'model', 'x');
    expect((await failureOf(set)).kind).toBe('usage');
  });

  test.each(['CON', 'a.b', '_x', '9-lives', 'a'.repeat(64)])('takes the profile %s', (profile) => {
    const stored = storedWith();
    setStoredSetting(stored, profile, 'model', 'x');
    expect(getStoredSetting(stored, profile, 'model')).toBe('x');
  });
});

test('setStoredSetting without a value removes one setting, and a family with its last member', () => {
  const stored = storedWith({ default: { save: false, params: { a: 1, b: 2 } } });
  setStoredSetting(stored, 'default', 'params.a', undefined);
  expect(stored.settings.profiles['default']).toEqual({ save: false, params: { b: 2 } });
  setStoredSetting(stored, 'default', 'params.b', undefined);
  setStoredSetting(stored, 'other', 'model', undefined);
  expect(stored.settings.profiles).toEqual({ default: { save: false } });
});

describe('profiles', () => {
  const twoProfiles = () => storedWith({ home: {}, work: {} }, { work: credential }, 'home');

  test('are deleted with their key, and replaced by the default profile', () => {
    const { settings, credentials } = twoProfiles();
    deleteProfile({ settings, credentials }, 'work');
    expect(Object.keys(settings.profiles)).toEqual(['home']);
    expect(settings.profile).toBe('home');
    expect(credentials.profiles).toEqual({});
    deleteProfile({ settings, credentials }, 'home');
    expect(settings).not.toHaveProperty('profile');
  });

  test.each([useProfile, deleteProfile])('%o fails for an unknown profile', async (change) => {
    expect(await failureOf(() => change(twoProfiles(), 'wrok'))).toMatchObject({
      kind: 'configuration',
      hint: 'the profiles are default, home, work',
    });
  });
});

test('K11 credentials are stored trimmed, with the address, which the profile gets too', () => {
  const given = { apiKey: ` ${exampleKey}\n`, baseUrl: ' https://api.example.com ' };
  const { settings, credentials } = storedWith();
  saveService({ settings, credentials }, 'work', given);
  expect(credentials.profiles).toEqual({ work: credential });
  expect(settings.profiles).toEqual({ work: { 'base-url': 'https://api.example.com' } });
});
