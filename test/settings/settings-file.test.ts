import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { readStoredSettings } from '../../src/settings/settings-file.ts';
import { emptyCredentials, emptySettings } from '../../src/settings/stored-settings.ts';
import { exampleKey, failureOf, temporaryFolder } from './fixtures/stored.ts';

const { platform } = process;
const credentials = JSON.stringify({
  version: 1,
  profiles: { default: { apiKey: exampleKey, baseUrl: 'https://api.example.com' } },
});

function folderWith(name: string, content: string | Buffer, mode = 0o600): string {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, name), content, { mode });
  chmodSync(path.join(folder, name), mode);
  return folder;
}

describe('readStoredSettings', () => {
  test.each([undefined, path.join(temporaryFolder(), 'missing')])(
    'finds nothing in the folder %s and creates nothing',
    (folder) => {
      expect(readStoredSettings(folder, platform)).toEqual({
        stored: { settings: emptySettings, credentials: emptyCredentials },
        warnings: [],
      });
    },
  );

  test('keeps unknown keys', () => {
    const document = { version: 1, future: [1], profiles: { work: { model: 'x', later: true } } };
    const folder = folderWith('config.json', JSON.stringify(document));
    expect(readStoredSettings(folder, platform).stored.settings).toEqual(document);
  });

  test('K7 reads a file that starts with a byte order mark', () => {
    const folder = folderWith('config.json', '\uFEFF{"profiles":{"work":{"model":"x"}}}');
    const { settings } = readStoredSettings(folder, platform).stored;
    expect(settings.profiles).toEqual({ work: { model: 'x' } });
  });

  test.each([
    [exampleKey, 'it is not valid JSON'],
    [`{"profiles":{"default":{"apiKey":"${exampleKey}"`, 'it is not valid JSON'],
    [`${credentials}x`, 'it is not valid JSON'],
    ['', 'it is empty'],
    [' \n', 'it is empty'],
    ['\uFEFF', 'it is empty'],
    ['\0\0\0\0', 'it is not valid JSON'],
    [`["${exampleKey}"]`, 'it is not a JSON object'],
    ['null', 'it is not a JSON object'],
    [`{"profiles":["${exampleKey}"]}`, 'its "profiles" is not an object'],
    [`{"profiles":{"a":"${exampleKey}"}}`, 'its profile "a" is malformed'],
    ['{"profiles":{"a":{"apiKey":"x"}}}', 'its profile "a" is malformed'],
    ['{"profiles":{"a":{"apiKey":"x","baseUrl":"no"}}}', 'its profile "a" is malformed'],
    ['{"version":2}', 'another version of natter wrote it'],
  ])(
    'K7 reports the problem of %j without the content and keeps the file',
    async (content, problem) => {
      const folder = folderWith('credentials.json', content);
      const file = path.join(folder, 'credentials.json');
      const failure = await failureOf(() => readStoredSettings(folder, platform));
      expect(failure).toMatchObject({
        kind: 'configuration',
        message: `cannot use ${file}: ${problem}`,
      });
      expect(failure.hint).toBeDefined();
      expect(failure.cause).toBeUndefined();
      expect(readFileSync(file, 'utf8')).toBe(content);
    },
  );

  test.each([
    ['{"profile":7}', 'its "profile" is not text'],
    ['{"profiles":{"a":[]}}', 'its profile "a" is malformed'],
    ['{"profiles":{"a":{"params":[1]}}}', 'its profile "a" is malformed'],
    ['{"profiles":{"a":{"headers":"x"}}}', 'its profile "a" is malformed'],
  ])('K7 reports the problem of settings such as %s', async (content, problem) => {
    const folder = folderWith('config.json', content);
    const failure = await failureOf(() => readStoredSettings(folder, platform));
    expect(failure.message).toBe(`cannot use ${path.join(folder, 'config.json')}: ${problem}`);
  });

  test('reports an unreadable file as a storage failure', async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'config.json'));
    const failure = await failureOf(() => readStoredSettings(folder, platform));
    expect(failure).toMatchObject({
      kind: 'storage',
      message: `cannot read ${path.join(folder, 'config.json')}: it is a folder`,
    });
  });
});

describe.runIf(process.platform !== 'win32')('a credentials file that others can read', () => {
  test('K4 is made private, reported and used', () => {
    const folder = folderWith('credentials.json', credentials, 0o644);
    const file = path.join(folder, 'credentials.json');
    const { stored, warnings } = readStoredSettings(folder, 'linux');
    expect(stored.credentials.profiles['default']?.apiKey).toBe(exampleKey);
    expect(warnings).toEqual([`others could read ${file} (mode 0644); it is private now`]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readStoredSettings(folder, 'linux').warnings).toEqual([]);
  });

  test.each([0o600, 0o400])('is not reported for mode %o', (mode) => {
    const folder = folderWith('credentials.json', credentials, mode);
    expect(readStoredSettings(folder, 'linux').warnings).toEqual([]);
    expect(statSync(path.join(folder, 'credentials.json')).mode & 0o777).toBe(mode);
  });

  test('is neither changed nor reported on Windows, which has no modes', () => {
    const folder = folderWith('credentials.json', credentials, 0o644);
    expect(readStoredSettings(folder, 'win32').warnings).toEqual([]);
    expect(statSync(path.join(folder, 'credentials.json')).mode & 0o777).toBe(0o644);
  });
});
