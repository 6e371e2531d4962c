import { expect, test } from 'vitest';

import { resolveSettings } from '../../src/settings/resolve.ts';
import { jsonRow, listSettings } from '../../src/settings/setting-rows.ts';
import { exampleKey, storedWith } from './fixtures/stored.ts';

const stored = storedWith(
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
  return listSettings(resolveSettings({ flags: { retries: 2 }, environment: {}, stored }));
}

test('lists all settings in force with values as typed and sources', () => {
  const profile = { kind: 'profile', name: 'default' };
  expect(rows()).toEqual(
    expect.arrayContaining([
      {
        name: 'model',
        value: 'origin',
        json: 'origin',
        source: { kind: 'default', name: 'default' },
      },
      { name: 'max-tokens', value: undefined, source: { kind: 'default', name: 'default' } },
      { name: 'retries', value: '2', json: 2, source: { kind: 'flag', name: '--retries' } },
      {
        name: 'retry-max-wait',
        value: '1m',
        json: '1m',
        source: { kind: 'default', name: 'default' },
      },
      { name: 'params.stop', value: '["END"]', json: ['END'], source: profile },
      { name: 'headers.x-team', value: 'blue', json: 'blue', source: profile },
    ]),
  );
});

test('Y14: values have the types of the settings file', () => {
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

test('K25 K15 masks keys, passwords and secret headers', () => {
  const text = JSON.stringify(rows());
  for (const secret of [exampleKey, 'passphrase', '0123456789']) expect(text).not.toContain(secret);
});
