import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { beforeAll, describe, expect, test, vi } from 'vitest';

import { readStoredSettings } from '../../src/settings/settings-file.ts';
import { exampleKey, temporaryFolder } from './fixtures/stored.ts';
import { buildWriter, runWriter, startWriter } from './fixtures/writer-process.ts';

let writer: string;

beforeAll(async () => {
  writer = await buildWriter(temporaryFolder());
});

const storedIn = (folder: string) => readStoredSettings(folder, process.platform).stored;

describe('processes that change settings', () => {
  test('D17 four writers lose no update', async () => {
    const folder = temporaryFolder();
    const names = Array.from({ length: 4 }, (_, writerIndex) =>
      Array.from({ length: 15 }, (_value, index) => `w${writerIndex}-${index}`),
    );
    const codes = await Promise.all(
      names.map((own) =>
        runWriter(writer, {
          folder,
          updates: own.map((name) => [`params.${name}`, '1'] as const),
        }),
      ),
    );
    expect(codes).toEqual([0, 0, 0, 0]);
    const params = storedIn(folder).settings.profiles['default']?.params;
    expect(Object.keys(params ?? {}).sort()).toEqual(names.flat().sort());
  });

  test('D17 a writer killed while others write neither blocks them nor loses an update', async () => {
    const folder = temporaryFolder();
    const killed = startWriter(writer, { folder, updates: [['system', 'x']], forever: true });
    const left = once(killed, 'exit');
    await vi.waitUntil(() => existsSync(path.join(folder, 'config.json')), { timeout: 20_000 });
    const names = ['a', 'b'].map((letter) =>
      Array.from({ length: 10 }, (_value, index) => `${letter}${index}`),
    );
    const others = names.map((own) =>
      runWriter(writer, { folder, updates: own.map((name) => [`params.${name}`, '1'] as const) }),
    );
    await sleep(200);
    killed.kill('SIGKILL');
    await left;
    expect(await Promise.all(others)).toEqual([0, 0]);
    const params = storedIn(folder).settings.profiles['default']?.params;
    expect(Object.keys(params ?? {}).sort()).toEqual(names.flat().sort());
  });

  test('K6 a writer killed at any moment leaves the old or the new settings', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'config.json');
    const texts = ['short', 'long '.repeat(20_000)];
    for (const delay of [0, 3, 7, 13, 21]) {
      rmSync(file, { force: true });
      const child = startWriter(writer, {
        folder,
        updates: texts.map((text) => ['system', text] as const),
        forever: true,
      });
      await vi.waitUntil(() => existsSync(file), { timeout: 20_000, interval: 1 });
      await sleep(delay);
      const left = once(child, 'exit');
      child.kill('SIGKILL');
      await left;
      expect(texts).toContain(storedIn(folder).settings.profiles['default']?.['system']);
    }
    const code = await runWriter(writer, { folder, updates: [['system', 'after']] });
    expect(code).toBe(0);
    expect(storedIn(folder).settings.profiles['default']).toEqual({ system: 'after' });
  });

  test.runIf(process.platform !== 'win32')(
    'K3 files are 0600 and folders 0700 at umask 000',
    async () => {
      const parent = path.join(temporaryFolder(), 'new');
      const folder = path.join(parent, 'natter');
      expect(await runWriter(writer, { folder, umask: 0, apiKey: exampleKey })).toBe(0);
      const modes = [parent, folder, 'config.json', 'credentials.json'].map(
        (name) => statSync(path.resolve(folder, name)).mode & 0o777,
      );
      expect(modes).toEqual([0o700, 0o700, 0o600, 0o600]);
      expect(readFileSync(path.join(folder, 'credentials.json'), 'utf8')).toContain(exampleKey);
    },
  );
});
