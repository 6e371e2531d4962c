import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { pathOf } from '../../src/conversation/tree.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { seededRandom } from '../conversation/journal-fixtures.ts';
import { createDataFolder, type DataFolder } from '../support/data-folder.ts';
import {
  binary,
  cleanEnvironment,
  serviceAt,
  startNatter,
  startSandboxCommand,
} from '../support/natter.ts';

const echo = (text: string) => ['--sandbox', `[sandbox echo] ${text}`];

describe('failing storage', () => {
  test('D10 without a home folder there is one warning', async () => {
    const data = createDataFolder();
    const { code, stdout, stderr } = await data.run(echo('hello'), {
      env: { HOME: '', NATTER_DATA_DIR: '', XDG_DATA_HOME: '' },
    });
    expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: 'hello' });
    expect(stderr.match(/warning: .*home folder is unknown/g)).toHaveLength(1);
  });

  test.each([
    [
      'D11 with a file in place of the data folder',
      (path: string) => {
        rmSync(path, { recursive: true });
        writeFileSync(path, '');
      },
    ],
    [
      'D11 with a file in place of the conversations folder',
      (path: string) => {
        writeFileSync(join(path, 'conversations'), '');
      },
    ],
    [
      'D10 with a folder that is not writable',
      (path: string) => {
        mkdirSync(join(path, 'conversations'));
        chmodSync(join(path, 'conversations'), 0o500);
      },
    ],
  ])('%s the answer is still printed', async (_what, spoil) => {
    const data = createDataFolder();
    spoil(data.path);
    const { code, stdout, stderr } = await data.run(echo('hello'));
    expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: 'hello' });
    // The superuser can write anywhere.
    const isRoot = process.getuid?.() === 0;
    const warnings = stderr.match(/warning: .* continues unsaved/g) ?? [];
    expect(warnings.length).toBeLessThanOrEqual(1);
    expect(warnings.length === 1 || isRoot).toBe(true);
  });

  test.skipIf(process.platform === 'win32')(
    'D9 with a full disk there is one warning, and the answer is printed',
    async () => {
      const data = createDataFolder();
      const prompt = '[sandbox echo] x';
      writeFileSync(join(data.path, 'big.txt'), 'word '.repeat(40_000));
      const shell = 'ulimit -f 128; exec "$0" "$@"';
      const { stdout, stderr, status } = spawnSync(
        'sh',
        [
          '-c',
          shell,
          process.execPath,
          binary,
          '--sandbox',
          '-f',
          join(data.path, 'big.txt'),
          prompt,
        ],
        { env: cleanEnvironment(data.env), encoding: 'utf8', input: '' },
      );
      expect(status).toBe(0);
      expect(stdout.length).toBeGreaterThan(200_000);
      expect(stderr.match(/warning/g)).toHaveLength(1);
      const [name = ''] = data.files();
      expect(readFileSync(join(data.path, 'conversations', name)).length).toBeLessThanOrEqual(
        65_536,
      );
    },
  );

  test.skipIf(process.platform === 'win32')(
    'D9 a disk without any space is left without a conversation or lock',
    async () => {
      const data = createDataFolder();
      const onFullDisk = (...words: readonly string[]) =>
        spawnSync(
          'sh',
          ['-c', `trap '' XFSZ; ulimit -f 0; exec "$0" "$@"`, process.execPath, binary, ...words],
          { env: cleanEnvironment(data.env), encoding: 'utf8', input: '' },
        );
      expect(onFullDisk(...echo('hello'))).toMatchObject({ status: 0, stdout: 'hello\n' });
      expect(data.files().filter((name) => name.endsWith('.lock'))).toEqual([]);
      await data.run(echo('later'));
      const { stdout, stderr } = await data.run(['conversations', 'list']);
      expect({ lines: stdout.match(/^.*later$/gm)?.length, stderr }).toEqual({
        lines: 1,
        stderr: '',
      });
    },
  );
});

type Variables = Readonly<Record<string, string>>;

/**
 * Kills natter `delay` milliseconds after the first words of its answer are on disk; the rest is saved in pieces.
 * Returns those words.
 */
async function killMidStream(env: Variables, data: DataFolder, prompt: string, delay: number) {
  const running = startNatter(['-c', prompt], { env: { ...data.env, ...env } });
  await running.waitFor('stdout', /./);
  const words = running.stdout();
  const isKept = () => pathOf(data.only()).at(-1)?.content.startsWith(words);
  await vi.waitUntil(isKept, { timeout: 60_000, interval: 10 });
  await sleep(delay);
  running.child.kill('SIGKILL');
  expect((await running.result).signal).toBe('SIGKILL');
  return words;
}

/** Returns the number of turns after the kills. */
async function killThreeTimes(env: Variables, seed: number): Promise<number> {
  const random = seededRandom(seed);
  const data = createDataFolder();
  await data.run(['[sandbox echo] first'], { env });
  const expected = ['[sandbox echo] first', 'first'];
  for (let round = 1; round <= 3; round += 1) {
    const prompt = `[sandbox tokens=1000 seed=${seed * 10 + round}]`;
    const words = await killMidStream(env, data, prompt, Math.floor(random() * 1000));
    const turns = pathOf(data.only());
    const answer = turns.at(-1);
    expect(turns.slice(0, -1).map(({ content }) => content)).toEqual([...expected, prompt]);
    expect(answer).toMatchObject({ role: 'assistant', incomplete: true });
    expect(answer?.content.startsWith(words)).toBe(true);
    expected.push(prompt, answer?.content ?? '');
  }
  return pathOf(data.only()).length;
}

test('D1 natter killed at twelve moments of its answers loses no turn and no text that was on disk', async () => {
  const env = serviceAt(await startSandboxCommand(['--rate', '50']), {
    NATTER_API_KEY: sandboxKey,
  });
  const turns = await Promise.all([1, 2, 3, 4].map((seed) => killThreeTimes(env, seed)));
  expect(turns).toEqual([8, 8, 8, 8]);
}, 240_000);
