import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { folderOf } from './folder.ts';

/** The built program, as users run it. */
export const binary = resolve('bin/natter.cjs');

export interface RunOptions {
  /** Standard input; without it, input is empty and closed. */
  readonly input?: string | Uint8Array;
  /** Leaves the input pipe open after `input`. */
  readonly keepInputOpen?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface RunResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stdoutBytes: Buffer;
  readonly stderr: string;
}

/** An empty home folder, without the machine's own settings. */
export function temporaryHome(): string {
  return folderOf();
}

/** Writes a program `natter` that starts the built one. @returns its path */
export function writeNatter(folder: string): string {
  const path = join(folder, 'natter');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${binary}" "$@"\n`, { mode: 0o755 });
  return path;
}

/** What a program on Windows needs in its environment, with all folders of the user in `home`. */
const windowsEnvironment = (home: string): NodeJS.ProcessEnv => ({
  SystemRoot: process.env['SystemRoot'],
  USERPROFILE: home,
  APPDATA: join(home, 'Roaming'),
  LOCALAPPDATA: join(home, 'Local'),
});

/**
 * The environment of a fresh machine: a path, a home, and `env`. The compile cache is off, because writing it takes time
 * and each home is used only once.
 */
export function cleanEnvironment(env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const home = env['HOME'] ?? temporaryHome();
  const fresh = { HOME: home, LANG: 'C.UTF-8', NODE_DISABLE_COMPILE_CACHE: '1' };
  const system = process.platform === 'win32' ? windowsEnvironment(home) : {};
  return { PATH: process.env['PATH'], ...system, ...fresh, ...env };
}

/** For tests that act while natter runs. */
export function startNatter(words: readonly string[], options: RunOptions = {}) {
  const child = spawn(process.execPath, [binary, ...words], {
    env: cleanEnvironment(options.env),
    stdio: 'pipe',
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  child.stdin.on('error', () => {
    // A program that does not read its input may end before it is written.
  });
  child.stdin.write(options.input ?? '');
  if (options.keepInputOpen !== true) child.stdin.end();
  return { child, ...outputOf(child) };
}

/** The output of a program so far, and its result. */
function outputOf(child: ChildProcess) {
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const text = (name: 'stdout' | 'stderr') => Buffer.concat(chunks[name]).toString();
  child.stdout?.on('data', (chunk: Buffer) => chunks.stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.stderr.push(chunk));
  const result = new Promise<RunResult>((settle, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const stdoutBytes = Buffer.concat(chunks.stdout);
      settle({ code, signal, stdout: text('stdout'), stdoutBytes, stderr: text('stderr') });
    });
  });
  return {
    result,
    stdout: () => text('stdout'),
    stderr: () => text('stderr'),
    /** Resolves when the output so far matches. */
    waitFor: (stream: 'stdout' | 'stderr', pattern: RegExp) =>
      new Promise<void>((settle, reject) => {
        const check = () => {
          if (pattern.test(text(stream))) settle();
        };
        child[stream]?.on('data', check);
        child.on('close', () => {
          check();
          reject(new Error(`ended before ${pattern}: ${text('stdout')}${text('stderr')}`));
        });
        check();
      }),
  };
}

export type RunningNatter = ReturnType<typeof startNatter>;

export function runNatter(words: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return startNatter(words, options).result;
}

/** `natter sandbox`, stopped with the test. */
export async function startSandboxCommand(
  words: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  const sandbox = startNatter(['sandbox', ...words], { env, keepInputOpen: true });
  onTestFinished(async () => {
    sandbox.child.kill();
    await sandbox.result;
  });
  const address = /NATTER_BASE_URL=(\S+) /;
  await sandbox.waitFor('stderr', address);
  return { ...sandbox, url: address.exec(sandbox.stderr())?.[1] ?? '' };
}

/** The values of a text with one JSON value per line. */
export const jsonLines = (text: string): readonly unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));

/** The environment of a natter that uses `server`. */
export function serviceAt(
  server: { readonly url: string },
  env: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return { NATTER_BASE_URL: server.url, NATTER_API_KEY: 'test-key', ...env };
}

/**
 * Runs a bash command line in which `$NATTER` is the program, for redirections. The code is that of the last command, or
 * of the last one that failed in a pipe.
 */
export function runShell(
  line: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunResult> {
  const variables = cleanEnvironment({ ...env, NATTER: `${process.execPath} ${binary}` });
  const child = spawn('/bin/bash', ['--norc', '-o', 'pipefail', '-c', line], {
    env: variables,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return outputOf(child).result;
}
