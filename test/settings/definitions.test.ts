import { describe, expect, test } from 'vitest';
import {
  type Definition,
  definitions,
  duration,
  settingKeys,
  storedValue,
} from '../../src/settings/definitions.ts';
import { environmentVariables } from '../../src/settings/environment-variables.ts';
import { expectForAll, fc } from '../support/properties.ts';

const rows = settingKeys.map((key) => [key, definitions[key] as Definition<unknown>] as const);

describe('definitions', () => {
  test('have names and variables made from their keys', () => {
    const names = { name: 'retry-max-wait', variable: 'NATTER_RETRY_MAX_WAIT' };
    expect(definitions.retryMaxWait).toMatchObject(names);
  });

  test.each(rows.filter(([, { default: value }]) => value !== undefined))(
    'the default of %s survives being stored and read back',
    (_key, { type, default: value }) => {
      expect(type.parse(String(storedValue(type, value)))).toBe(value);
    },
  );

  test('K1 no setting is a key, so no flag takes one; one is a command that prints it', () => {
    const names = rows.map(([, { name }]) => name);
    expect(names.filter((name) => /key|secret|credential|password|auth/.test(name))).toEqual([
      'api-key-command',
      'secret-guard',
      // Keys of the keyboard.
      'shell-key',
      'shell-explain-key',
    ]);
  });
});

test.each([
  ['baseUrl', 'https://api.example.com/v1/', 'https://api.example.com/v1/'],
  ['baseUrl', ' http://127.0.0.1:8080 ', 'http://127.0.0.1:8080'],
  ['model', ' nextgen ', 'nextgen'],
  ['system', '  kept as it is\n', '  kept as it is\n'],
  ['system', '', ''],
  ['maxTokens', '1', 1],
  ['retries', '0', 0],
  ['save', 'no', false],
  ['save', 'TRUE', true],
  ['save', '1', true],
] as const)('the types of values %s reads %j as %j', (key, text, value) => {
  expect(definitions[key].type.parse(text)).toBe(value);
});

test.each([
  [
    'baseUrl',
    ['example.com:80', 'ftp://a.example', 'https://', 'https://a/?key=1', 'https://a\nb'],
  ],
  ['model', ['', 'two words']],
  ['maxTokens', ['0', '9'.repeat(20)]],
  ['retries', ['101', '-1']],
  ['save', ['maybe']],
] as const)('the type of %s takes none of %j', (key, texts) => {
  for (const text of texts) expect(definitions[key].type.parse(text)).toBeUndefined();
});

test('environmentVariables names each variable once, with a summary and the default as typed', () => {
  const names = environmentVariables.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(environmentVariables.filter(({ summary }) => summary === '')).toEqual([]);
  const shown = Object.fromEntries(environmentVariables.map((row) => [row.name, row.default]));
  expect(shown).toMatchObject({
    NATTER_MODEL: 'origin',
    NATTER_RETRIES: '4',
    NATTER_FIRST_BYTE_TIMEOUT: '10m',
    NATTER_TIMEOUT: '0',
    NATTER_SAVE: 'true',
  });
});

test.each([
  ['500ms', 500],
  ['10m', 600_000],
  ['1h', 3_600_000],
  ['1.5m', 90_000],
  ['30', 30_000],
  ['0', 0],
  [' 5 S ', 5000],
  ['597h', 2_149_200_000],
])('the type duration reads %j as %s milliseconds', (text, milliseconds) => {
  expect(duration.parse(text)).toBe(milliseconds);
});

test('the type duration reads no other text', () => {
  const texts = ['24d', '-1s', '.5s', '', '1h30m', '9'.repeat(400)];
  expect(texts.map(duration.parse)).toEqual(texts.map(() => undefined));
});

describe('the type duration', () => {
  test.each([
    [0, '0'],
    [90_000, '90s'],
    [600_000, '10m'],
    [1234, '1234ms'],
  ])('writes %s milliseconds as %s', (milliseconds, text) => {
    expect(duration.store(milliseconds)).toBe(text);
  });

  test('writes texts that it reads', () => {
    expectForAll(fc.maxSafeNat(), (milliseconds) => {
      expect(duration.parse(duration.store(milliseconds))).toBe(milliseconds);
    });
  });
});
