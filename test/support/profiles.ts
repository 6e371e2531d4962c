import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openSandbox } from '../sandbox/sandbox-helpers.ts';
import { runInMemory } from './in-memory.ts';
import { type RunOptions, serviceAt, temporaryHome } from './natter.ts';
import { streamed } from './raw-replies.ts';
import type { Reply } from './raw-server.ts';
import { secretKey } from './secret.ts';
import { serve } from './serve.ts';
import { sharedHome } from './terminal.ts';

export function storedKey(home: string): unknown {
  const path = join(home, '.config', 'natter', 'credentials.json');
  const document = JSON.parse(readFileSync(path, 'utf8')) as {
    profiles: Record<string, { apiKey: string }>;
  };
  return document.profiles['default']?.apiKey;
}

/** Two services, each with a profile and a key. */
export async function twoProfiles(
  ofWork: readonly Reply[] = [[streamed('Work')]],
  ofHome: readonly Reply[] = [[streamed('Home')]],
) {
  const [work, home] = [await serve(ofWork), await serve(ofHome)];
  const env = { HOME: temporaryHome(), NATTER_RETRIES: '0' };
  const run = (...words: string[]) => runInMemory(words, { env });
  for (const [name, { url }] of [['work', work] as const, ['home', home] as const]) {
    await runInMemory(['auth', 'login', '--no-check', '--profile', name, '--base-url', url], {
      env,
      input: `nk-${name}`,
    });
  }
  return { env, run, work, home };
}

/** A home folder with a program that prints what `script`, a shell script, prints, and counts its runs. */
export function homeWithKeyProgram(script: string) {
  const home = temporaryHome();
  const program = join(home, 'print-key');
  const runs = join(home, 'runs');
  writeFileSync(program, `#!/bin/sh\necho run >> '${runs}'\n${script}\n`);
  chmodSync(program, 0o755);
  return {
    home,
    program,
    runs: () => (existsSync(runs) ? readFileSync(runs, 'utf8').split('\n').length - 1 : 0),
  };
}

export const printKey = `echo '${secretKey}'`;

/** A natter whose default profile has a service and a command that prints its key. */
export async function withKeyProgram(script: string, url: string, command?: string) {
  const { home, program, runs } = homeWithKeyProgram(script);
  const options: RunOptions = { env: { HOME: home } };
  await runInMemory(['config', 'set', 'base-url', url], options);
  await runInMemory(['config', 'set', 'api-key-command', command ?? program], options);
  const run = (words: readonly string[], env: Record<string, string> = {}) =>
    runInMemory(words, { env: { HOME: home, ...env } });
  return { home, program, runs, run };
}

/** The environment of a profile with a colour for code. */
export async function openColorProfile() {
  const service = serviceAt(await openSandbox(), { NATTER_API_KEY: 'sandbox-key' });
  const env = { ...sharedHome(), ...service, COLORTERM: 'truecolor' };
  const set = await runInMemory(['config', 'set', 'colors.code', '#FF5FAF'], { env });
  expect(set.stderr).toBe('natter: colors.code is set to #ff5faf in profile default\n');
  return env;
}
