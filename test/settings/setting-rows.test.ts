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

test('lists the settings in force with values and sources', () => {
  const byDefault = { kind: 'default', name: 'default' };
  const profile = { kind: 'profile', name: 'default' };
  expect(rows()).toEqual(
    expect.arrayContaining([
      { name: 'max-tokens', value: undefined, source: byDefault },
      { name: 'retries', value: 2, source: { kind: 'flag', name: '--retries' } },
      { name: 'retry-max-wait', value: '1m', source: byDefault },
      { name: 'params.stop', value: ['END'], source: profile },
      { name: 'headers.x-team', value: 'blue', source: profile },
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
