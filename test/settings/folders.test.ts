import { describe, expect, test } from 'vitest';

import { resolveCacheFolder, resolveFolders } from '../../src/settings/folders.ts';
import { failureOf } from './fixtures/stored.ts';

const linux = { platform: 'linux', homeDirectory: '/home/ada' } as const;

describe('resolveFolders', () => {
  test('follows the XDG defaults', () => {
    expect(resolveFolders({ ...linux, environment: {} })).toEqual({
      config: '/home/ada/.config/natter',
      data: '/home/ada/.local/share/natter',
      state: '/home/ada/.local/state/natter',
    });
  });

  test.each([
    { XDG_CONFIG_HOME: '' },
    { XDG_CONFIG_HOME: 'relative' },
    { XDG_CONFIG_HOME: '~/config' },
    { NATTER_CONFIG_DIR: '' },
  ])('K21 ignores %j', (environment) => {
    expect(resolveFolders({ ...linux, environment }).config).toBe('/home/ada/.config/natter');
  });

  test("uses the XDG variables, and prefers natter's, which are the folder itself", () => {
    const environment = {
      XDG_CONFIG_HOME: '/c',
      XDG_DATA_HOME: '/d',
      NATTER_DATA_DIR: '/own/data/',
      NATTER_STATE_DIR: '/own/x/../state',
    };
    const folders = { config: '/c/natter', data: '/own/data/', state: '/own/state' };
    expect(resolveFolders({ ...linux, environment })).toEqual(folders);
  });

  test("K23 refuses a relative path in one of natter's variables", async () => {
    const environment = { NATTER_CONFIG_DIR: '.natter' };
    expect(await failureOf(() => resolveFolders({ ...linux, environment }))).toMatchObject({
      kind: 'configuration',
      message: 'NATTER_CONFIG_DIR must be an absolute path',
    });
  });

  test.each([String.raw`\no\drive`, '/no/drive', String.raw`C:relative`])(
    'Y24: refuses %s on Windows, which depends on the current drive',
    async (name) => {
      const facts = { ...linux, platform: 'win32', homeDirectory: name } as const;
      const environment = { NATTER_DATA_DIR: name };
      expect(await failureOf(() => resolveFolders({ ...facts, environment }))).toMatchObject({
        kind: 'configuration',
        hint: 'set NATTER_DATA_DIR to a path that starts at a drive',
      });
      expect(
        resolveFolders({ ...facts, environment: { LOCALAPPDATA: name } }).data,
      ).toBeUndefined();
    },
  );

  test.each([String.raw`D:\notes`, String.raw`\\server\share\notes`])(
    'Y24: takes %s on Windows',
    (name) => {
      const environment = { NATTER_DATA_DIR: name };
      expect(resolveFolders({ ...linux, platform: 'win32', environment }).data).toBe(name);
    },
  );

  test('uses the roaming and the local folder on Windows', () => {
    const facts = { platform: 'win32', homeDirectory: String.raw`C:\Users\ada` } as const;
    const environment = { APPDATA: String.raw`D:\Roaming`, XDG_DATA_HOME: String.raw`D:\xdg` };
    expect(resolveFolders({ ...facts, environment })).toEqual({
      config: String.raw`D:\Roaming\natter`,
      data: String.raw`C:\Users\ada\AppData\Local\natter\data`,
      state: String.raw`C:\Users\ada\AppData\Local\natter\state`,
    });
  });

  test.each([undefined, '', 'relative'])('has no folder if the home is %s', (homeDirectory) => {
    expect(resolveFolders({ environment: {}, platform: 'linux', homeDirectory })).toEqual({
      config: undefined,
      data: undefined,
      state: undefined,
    });
  });
});

describe('resolveCacheFolder', () => {
  test.each([
    [{ HOME: '/home/ada' }, '/home/ada/.cache/natter'],
    [{ HOME: '/home/ada', XDG_CACHE_HOME: '/c' }, '/c/natter'],
    [{ HOME: '/home/ada', XDG_CACHE_HOME: 'relative' }, '/home/ada/.cache/natter'],
    [{ HOME: '/home/ada', XDG_CACHE_HOME: '/c', NODE_COMPILE_CACHE: '/n' }, '/c/natter'],
    [{ HOME: 'relative' }, undefined],
    [{}, undefined],
  ])('with %j is %s', (environment, folder) => {
    expect(resolveCacheFolder({ ...linux, environment })).toBe(folder);
  });

  test('uses the local folder on Windows', () => {
    const environment = { LOCALAPPDATA: String.raw`D:\Local`, XDG_CACHE_HOME: String.raw`D:\xdg` };
    const folder = resolveCacheFolder({ ...linux, platform: 'win32', environment });
    expect(folder).toBe(String.raw`D:\Local\natter`);
  });
});
