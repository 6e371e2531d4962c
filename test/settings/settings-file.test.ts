import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { saveService, setStoredSetting } from '../../src/settings/profiles.ts';
import { silentNotices } from '../../src/output/notices.ts';
import {
  changeStored,
  readStored,
  nothingStored,
  type StoredSettings,
} from '../../src/settings/settings-file.ts';
import { folderOf } from '../support/folder.ts';
import { exampleKey, failureOf, storeAccess } from './fixtures/stored.ts';

const credentials = JSON.stringify({
  version: 1,
  profiles: { default: { apiKey: exampleKey, baseUrl: 'https://api.example.com' } },
});

function folderWith(name: string, content: string | Buffer, mode = 0o600): string {
  const folder = folderOf({ [name]: content });
  chmodSync(path.join(folder, name), mode);
  return folder;
}

function read(folder: string | undefined) {
  const warnings: string[] = [];
  const notices = { ...silentNotices, warning: (text: string) => void warnings.push(text) };
  return { stored: readStored(storeAccess(folder), notices), warnings };
}

describe('readStored', () => {
  test.each([undefined, path.join(folderOf(), 'missing')])(
    'finds nothing in the folder %s and creates nothing',
    (folder) => {
      expect(read(folder)).toEqual({ stored: nothingStored, warnings: [] });
    },
  );

  test.each([
    [exampleKey, 'it is not JSON at line 1, column 1'],
    [`{"profiles":{\n"a":{"apiKey":"${exampleKey}"`, 'it is not JSON at line 2, column 44'],
    [`${credentials}x`, `it is not JSON at line 1, column ${credentials.length + 1}`],
    ['', 'it is empty'],
    ['\uFEFF \n', 'it is empty'],
    ['\0\0\0\0', 'it is not JSON at line 1, column 1'],
    [`["${exampleKey}"]`, 'it is not a JSON object'],
    [`{"profiles":["${exampleKey}"]}`, 'its "profiles" is not an object'],
    [`{"profiles":{"a":"${exampleKey}"}}`, 'its profile "a" is malformed'],
    ['{"profiles":{"a":{"apiKey":"x"}}}', 'its profile "a" is malformed'],
    ['{"profiles":{"a":{"apiKey":"x","baseUrl":"no"}}}', 'its profile "a" is malformed'],
    ['{"version":2}', 'another version of natter wrote it'],
    ['{"profile":7}', 'its "profile" is not text', 'config.json'],
    ['{"profiles":{"a":[]}}', 'its profile "a" is malformed', 'config.json'],
    ['{"profiles":{"a":{"params":[1]}}}', 'its profile "a" is malformed', 'config.json'],
  ])(
    'K7 reports the problem of %j without the content and keeps the file',
    async (content, problem, name = 'credentials.json') => {
      const folder = folderWith(name, content);
      const file = path.join(folder, name);
      const failure = await failureOf(() => read(folder));
      expect(failure).toMatchObject({
        kind: 'configuration',
        message: `cannot use ${file}: ${problem}`,
      });
      expect(failure.hint).toBeDefined();
      expect(failure.cause).toBeUndefined();
      expect(readFileSync(file, 'utf8')).toBe(content);
    },
  );

  test('K7 reads a credentials.json with a "profile", which only config.json has', () => {
    const folder = folderWith('credentials.json', '{"profile":7}');
    expect(read(folder).stored.credentials.profiles).toEqual({});
  });

  test('reports an unreadable file as a storage failure', async () => {
    const file = path.join(folderOf(), 'config.json');
    mkdirSync(file);
    const failure = await failureOf(() => read(path.dirname(file)));
    const message = `cannot read ${file}: it is a folder`;
    expect(failure).toMatchObject({ kind: 'storage', message });
  });
});

const modeOf = (file: string) => statSync(file).mode & 0o777;

describe.runIf(process.platform !== 'win32')('a credentials file that others can read', () => {
  test('K4 K5 is made private, reported and used, also behind a link', () => {
    const folder = folderOf();
    const file = path.join(folder, 'credentials.json');
    symlinkSync(path.join(folderWith('target.json', credentials, 0o644), 'target.json'), file);
    const { stored, warnings } = read(folder);
    expect(stored.credentials.profiles['default']?.apiKey).toBe(exampleKey);
    expect(warnings).toEqual([`others could read ${file} (mode 0644); it is private now`]);
    expect(modeOf(file)).toBe(0o600);
  });

  test.each([0o600, 0o400])('is not reported for mode %o', (mode) => {
    const folder = folderWith('credentials.json', credentials, mode);
    expect(read(folder).warnings).toEqual([]);
    expect(modeOf(path.join(folder, 'credentials.json'))).toBe(mode);
  });
});

const setModel = (stored: StoredSettings) =>
  setStoredSetting(stored, 'default', 'model', 'nextgen');
const login = (stored: StoredSettings) =>
  saveService(stored, 'default', { apiKey: exampleKey, baseUrl: 'https://api.example.com' });

describe('changeStored', () => {
  test('writes settings that can be read again, with the key in its own file, and leaves nothing else', async () => {
    // An interrupted write left it.
    const folder = folderWith('credentials.json.tmp-1234567890abcdef', exampleKey);
    const written = await changeStored(storeAccess(folder), login);
    expect(read(folder).stored).toEqual(written);
    expect(readFileSync(path.join(folder, 'credentials.json'), 'utf8')).toContain(exampleKey);
    expect(readFileSync(path.join(folder, 'config.json'), 'utf8')).not.toContain(exampleKey);
    expect(readdirSync(folder).sort()).toEqual(['config.json', 'credentials.json']);
  });

  test('does not write an unchanged document', async () => {
    const folder = folderOf();
    await changeStored(storeAccess(folder), setModel);
    expect(readdirSync(folder)).toEqual(['config.json']);
  });

  test('K7 keeps unknown keys, also of a file with a byte order mark', async () => {
    const document = { future: { a: 1 }, profiles: { default: { later: [1] } } };
    const folder = folderWith('config.json', `\uFEFF${JSON.stringify(document)}`);
    await changeStored(storeAccess(folder), setModel);
    expect(JSON.parse(readFileSync(path.join(folder, 'config.json'), 'utf8'))).toEqual({
      version: 1,
      future: { a: 1 },
      profiles: { default: { later: [1], model: 'nextgen' } },
    });
  });

  test('K7 keeps a damaged file and shows none of it', async () => {
    const folder = folderWith('config.json', exampleKey);
    const failure = await failureOf(() => changeStored(storeAccess(folder), setModel));
    expect(failure.kind).toBe('configuration');
    expect(`${failure.stack} ${String(failure.cause)}`).not.toContain(exampleKey);
    expect(readFileSync(path.join(folder, 'config.json'), 'utf8')).toBe(exampleKey);
    expect(readdirSync(folder)).toEqual(['config.json']);
  });

  test.each([
    [undefined, 'set HOME, or NATTER_CONFIG_DIR to a folder of your choice'],
    [path.join(folderWith('file', ''), 'file', 'natter'), 'part of its path is not a folder'],
  ])('fails in the folder %s', async (folder, text) => {
    const failure = await failureOf(() => changeStored(storeAccess(folder), setModel));
    expect(failure.kind).toBe('storage');
    expect(`${failure.message}; ${failure.hint}`).toContain(text);
  });
});

describe.runIf(process.platform !== 'win32')('permissions', () => {
  test.each(['', '/snap/natter'])(
    'K4 a file of mode 0644 is private after a write; conf writes it in place if SNAP is "%s"',
    async (snap) => {
      vi.stubEnv('SNAP', snap);
      onTestFinished(() => void vi.unstubAllEnvs());
      const folder = folderWith('config.json', '{"profiles":{}}', 0o644);
      await changeStored(storeAccess(folder), setModel);
      expect(modeOf(path.join(folder, 'config.json'))).toBe(0o600);
    },
  );

  test.each(['config.json', 'credentials.json'])(
    'K5 a symlinked %s is followed and the mode of its target repaired',
    async (name) => {
      const elsewhere = folderWith('target.json', '{"profiles":{}}', 0o644);
      const target = path.join(elsewhere, 'target.json');
      const folder = folderOf();
      symlinkSync(target, path.join(folder, name));
      await changeStored(storeAccess(folder), login);
      expect(lstatSync(path.join(folder, name)).isSymbolicLink()).toBe(true);
      expect(JSON.parse(readFileSync(target, 'utf8'))).toHaveProperty('profiles.default');
      expect(modeOf(target)).toBe(0o600);
      expect(readdirSync(elsewhere)).toEqual(['target.json']);
    },
  );

  test('an existing folder keeps its mode, because it may be shared on purpose', async () => {
    const folder = folderOf();
    chmodSync(folder, 0o755);
    await changeStored(storeAccess(folder), setModel);
    expect(modeOf(folder)).toBe(0o755);
  });
});
