// A folder for the files of an engine, with a copy of natter, and a service that records the prompts it gets.
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds, for a busy machine. */
const limit = 240_000;

export const isInstalled = (program) =>
  spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** Resolves when `isTrue` is. @throws an error after four minutes, with `describe()` */
export async function until(isTrue, describe = () => '') {
  const end = performance.now() + limit;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`waited in vain: ${describe()}`);
    await sleep(100);
  }
}

/** A sandbox that repeats each prompt. @param delay milliseconds before each answer */
async function startService(program, delay) {
  const words = ['sandbox', '--log', '--reply', 'echo', '--delay', `${delay}ms`];
  const sandbox = spawn(process.execPath, [program, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const asked = [];
  createInterface({ input: sandbox.stdout }).on('line', (line) => {
    const prompt = JSON.parse(line).body?.messages.at(-1).content;
    if (prompt !== undefined) asked.push({ prompt, time: performance.now() });
  });
  const url = await new Promise((found) => {
    createInterface({ input: sandbox.stderr }).on('line', (line) => {
      const [address] = /http:\S+/.exec(line) ?? [];
      if (address !== undefined) found(address);
    });
  });
  return {
    url,
    /** The prompt and the time of each request. */
    asked,
    /** How often prompts were sent more than once. */
    repeats: () => asked.length - new Set(asked.map(({ prompt }) => prompt)).size,
    stop: () => sandbox.kill(),
  };
}

/** Copies natter, which other users may not be able to read where it is, and puts it on the path. */
function installNatter(path) {
  for (const name of ['bin', 'dist', 'package.json']) {
    cpSync(name, path('natter', name), { recursive: true });
  }
  const program = path('natter', 'bin', 'natter.cjs');
  mkdirSync(path('tools'));
  const command = `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`;
  writeFileSync(path('tools', 'natter'), command, { mode: 0o755 });
  return program;
}

/** Complete lines of a results file, which may be written at this moment. */
function readResults(file) {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line));
}

/** Files for a run with `items` prompts. @param delay milliseconds before each answer */
export async function openPlace(items, delay) {
  const folder = mkdtempSync(join(tmpdir(), 'natter-engine-'));
  chmodSync(folder, 0o755);
  const path = (...names) => join(folder, ...names);
  const program = installNatter(path);
  const prompts = Array.from({ length: items }, (_, index) => `prompt ${index + 1}`);
  writeFileSync(path('prompts.txt'), `${prompts.join('\n')}\n`);
  const service = await startService(program, delay);
  const env = {
    ...process.env,
    HOME: folder,
    PATH: `${path('tools')}:${process.env['PATH']}`,
    NATTER_BASE_URL: service.url,
    NATTER_API_KEY: 'sandbox-key',
  };
  return {
    folder,
    path,
    program,
    prompts,
    service,
    env,
    results: (name) => readResults(path(name)),
    /** Starts a program. `end` resolves with its exit code, after its whole output. */
    start(file, words, more = {}) {
      const child = spawn(file, words, {
        cwd: folder,
        env: { ...env, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const started = { child, stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr']) {
        child[name].on('data', (bytes) => (started[name] += bytes));
      }
      started.end = new Promise((settle) => child.once('close', settle));
      return started;
    },
    close() {
      service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The id of the first process in the namespace of a running `unshare --fork`; undefined if it has ended. */
export function firstProcess(unshare) {
  try {
    const text = readFileSync(`/proc/${unshare.pid}/task/${unshare.pid}/children`, 'utf8');
    return Number(text.trim()) || undefined;
  } catch {
    return undefined;
  }
}
