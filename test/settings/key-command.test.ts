import { expect, test } from 'vitest';
import { resolveSettings, type SettingLayers } from '../../src/settings/resolve.ts';
import { exampleKey, storedWith } from './fixtures/stored.ts';

const home = 'https://api.example.com';
const command = 'pass show natter';
const stored = storedWith({ work: { 'base-url': home, 'api-key-command': command } }, {});
const variable = { NATTER_API_KEY_COMMAND: 'op read x' };

const resolve = (layers: Partial<SettingLayers> = {}) =>
  resolveSettings({ flags: { profile: 'work' }, environment: {}, stored, ...layers });

test('the command of a profile prints the key for its service', () => {
  const { apiKey, apiKeyCommand } = resolve();
  expect(apiKey).toBeUndefined();
  expect(apiKeyCommand).toEqual({ value: command, source: { kind: 'profile', name: 'work' } });
});

test('a variable with a key overrides every command', () => {
  const { apiKey, apiKeyCommand } = resolve({
    environment: { NATTER_API_KEY: exampleKey, ...variable },
  });
  expect(apiKey?.value).toBe(exampleKey);
  expect(apiKeyCommand).toBeUndefined();
});

test('a variable with a command overrides that of the profile', () => {
  expect(resolve({ environment: variable }).apiKeyCommand).toEqual({
    value: 'op read x',
    source: { kind: 'environment', name: 'NATTER_API_KEY_COMMAND' },
  });
});

test('a command overrides a stored key', () => {
  const both = storedWith(
    { work: { 'base-url': home, 'api-key-command': command } },
    { work: { apiKey: exampleKey, baseUrl: home } },
  );
  const { apiKey, apiKeyCommand } = resolve({ stored: both });
  expect(apiKey).toBeUndefined();
  expect(apiKeyCommand?.value).toBe(command);
});

test.each(['https://elsewhere.example', 'http://127.0.0.1:8080', 'http://api.example.com'])(
  'the key of a profile with a command is not sent to %s',
  (baseUrl) => {
    const { apiKeyCommand, unsentSecrets } = resolve({ flags: { profile: 'work', baseUrl } });
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
  expect(resolve({ stored: local }).apiKeyCommand?.value).toBe(command);
});
