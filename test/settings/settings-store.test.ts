import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  lstatSync,
} from 'node:fs';
import path from 'node:path';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { saveCredential, setStoredSetting } from '../../src/settings/profiles.ts';
import { readStoredSettings, updateStoredSettings } from '../../src/settings/settings-file.ts';
import type { StoredSettings } from '../../src/settings/stored-settings.ts';
import { exampleKey, failureOf, storeAccess, temporaryFolder } from './fixtures/stored.ts';

const setModel = (stored: StoredSettings) =>
  setStoredSetting(stored, 'default', 'model', 'nextgen');
const login = (stored: StoredSettings) =>
  saveCredential(stored, 'default', { apiKey: exampleKey, baseUrl: 'https://api.example.com' });
const modeOf = (file: string) => statSync(file).mode & 0o777;

describe('updateStoredSettings', () => {
  test('writes settings that can be read again', async () => {
    const folder = path.join(temporaryFolder(), 'a', 'natter');
    const written = await updateStoredSettings(storeAccess(folder), login);
    expect(readStoredSettings(folder, process.platform).stored).toEqual(written);
    expect(JSON.parse(readFileSync(path.join(folder, 'credentials.json'), 'utf8'))).toEqual({
      version: 1,
      profiles: { default: { apiKey: exampleKey, baseUrl: 'https://api.example.com' } },
    });
  });

  test('keeps the key out of config.json', async () => {
    const folder = temporaryFolder();
    await updateStoredSettings(storeAccess(folder), login);
    expect(readFileSync(path.join(folder, 'config.json'), 'utf8')).not.toContain(exampleKey);
  });

  test('leaves no lock and no temporary file', async () => {
    const folder = temporaryFolder();
    await updateStoredSettings(storeAccess(folder), login);
    expect(readdirSync(folder).sort()).toEqual(['config.json', 'credentials.json']);
  });

  test('does not write an unchanged document', async () => {
    const folder = temporaryFolder();
    await updateStoredSettings(storeAccess(folder), setModel);
    expect(readdirSync(folder)).toEqual(['config.json']);
  });

  test('keeps unknown keys', async () => {
    const folder = temporaryFolder();
    const document = { future: { a: 1 }, profiles: { default: { later: [1] } } };
    writeFileSync(path.join(folder, 'config.json'), JSON.stringify(document));
    await updateStoredSettings(storeAccess(folder), setModel);
    expect(JSON.parse(readFileSync(path.join(folder, 'config.json'), 'utf8'))).toEqual({
      version: 1,
      future: { a: 1 },
      profiles: { default: { later: [1], model: 'nextgen' } },
    });
  });

  test('removes temporary files of an interrupted write', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'credentials.json.tmp-1234567890abcdef'), exampleKey);
    await updateStoredSettings(storeAccess(folder), login);
    expect(readdirSync(folder).sort()).toEqual(['config.json', 'credentials.json']);
  });

  test.each([exampleKey, '', '[]', '{"profiles":'])(
    'K7 keeps a damaged file %j and shows none of it',
    async (content) => {
      const folder = temporaryFolder();
      const file = path.join(folder, 'config.json');
      writeFileSync(file, content);
      const failure = await failureOf(() => updateStoredSettings(storeAccess(folder), setModel));
      expect(failure.kind).toBe('configuration');
      expect(`${failure.stack} ${String(failure.cause)}`).not.toContain(exampleKey);
      expect(readFileSync(file, 'utf8')).toBe(content);
      expect(readdirSync(folder)).toEqual(['config.json']);
    },
  );

  test('K7 replaces a file with a byte order mark', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'config.json'), '\uFEFF{"profiles":{"a":{}}}');
    await updateStoredSettings(storeAccess(folder), setModel);
    const { settings } = readStoredSettings(folder, process.platform).stored;
    expect(settings.profiles).toEqual({ a: {}, default: { model: 'nextgen' } });
  });

  test('fails with a hint if the home folder is unknown', async () => {
    const access = storeAccess(undefined);
    expect(await failureOf(() => updateStoredSettings(access, setModel))).toMatchObject({
      kind: 'storage',
      hint: 'set HOME, or NATTER_CONFIG_DIR to a folder of your choice',
    });
  });

  test('reports a folder that cannot be created as a storage failure', async () => {
    const file = path.join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const folder = path.join(file, 'natter');
    const update = () => updateStoredSettings(storeAccess(folder), setModel);
    expect(await failureOf(update)).toMatchObject({
      kind: 'storage',
      message: `cannot write ${folder}: part of its path is not a folder`,
    });
  });
});

describe.runIf(process.platform !== 'win32')('permissions', () => {
  test('K4 a file of mode 0644 is private after a write', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'config.json');
    writeFileSync(file, '{"profiles":{}}');
    chmodSync(file, 0o644);
    await updateStoredSettings(storeAccess(folder), setModel);
    expect(modeOf(file)).toBe(0o600);
  });

  test.each(['linux', 'darwin', 'freebsd'] as const)(
    'K4 on %s too where the file is written in place',
    async (platform) => {
      vi.stubEnv('SNAP', '/snap/natter');
      onTestFinished(() => void vi.unstubAllEnvs());
      const folder = temporaryFolder();
      const file = path.join(folder, 'config.json');
      writeFileSync(file, '{"profiles":{}}');
      chmodSync(file, 0o644);
      await updateStoredSettings({ ...storeAccess(folder), platform }, setModel);
      expect(modeOf(file)).toBe(0o600);
    },
  );

  test.each(['config.json', 'credentials.json'])(
    'K5 a symlinked %s is followed and the mode of its target repaired',
    async (name) => {
      const elsewhere = temporaryFolder();
      const target = path.join(elsewhere, 'target.json');
      writeFileSync(target, '{"profiles":{}}');
      chmodSync(target, 0o644);
      const folder = temporaryFolder();
      symlinkSync(target, path.join(folder, name));
      await updateStoredSettings(storeAccess(folder), login);
      expect(lstatSync(path.join(folder, name)).isSymbolicLink()).toBe(true);
      expect(JSON.parse(readFileSync(target, 'utf8'))).toHaveProperty('profiles.default');
      expect(modeOf(target)).toBe(0o600);
      expect(readdirSync(elsewhere)).toEqual(['target.json']);
    },
  );

  test('K5 reading a symlinked credentials file corrects the mode of its target', () => {
    const target = path.join(temporaryFolder(), 'target.json');
    writeFileSync(target, '{"profiles":{}}');
    chmodSync(target, 0o640);
    const folder = temporaryFolder();
    symlinkSync(target, path.join(folder, 'credentials.json'));
    expect(readStoredSettings(folder, 'linux').warnings).toHaveLength(1);
    expect(modeOf(target)).toBe(0o600);
  });

  test('an existing folder keeps its mode, because it may be shared on purpose', async () => {
    const folder = path.join(temporaryFolder(), 'natter');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    await updateStoredSettings(storeAccess(folder), setModel);
    expect(modeOf(folder)).toBe(0o755);
    expect(existsSync(path.join(folder, 'config.json'))).toBe(true);
  });
});
