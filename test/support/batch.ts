import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { FaultRule } from '../../src/sandbox/faults/fault-rules.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import type { SandboxOptions } from '../../src/sandbox/exchange.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { rule } from '../sandbox/sandbox-helpers.ts';
import { createFakeClock } from './fake-clock.ts';
import { folderOf } from './folder.ts';
import { passTime } from './held-sandbox.ts';
import { runInMemory } from './in-memory.ts';
import {
  jsonLines,
  type RunningNatter,
  type RunOptions,
  type RunResult,
  serviceAt,
  startNatter,
} from './natter.ts';

/** The fields of a result that tests read. */
export interface BatchResult {
  readonly index: number;
  readonly line: number;
  readonly id: string | null;
  readonly content?: string;
  readonly model?: string;
  readonly attempts?: number;
  readonly incomplete?: true;
  readonly error?: { readonly kind: string; readonly message: string; readonly hint?: string };
}

/** A folder to run batches in, and a service that records its requests. */
export interface BatchPlace {
  write(name: string, text: string): void;
  read(name: string): string;
  has(name: string): boolean;
  /** The results in a file. */
  results(name: string): readonly BatchResult[];
  run(words: readonly string[], options?: RunOptions): Promise<RunResult>;
  start(words: readonly string[], options?: RunOptions): RunningNatter;
  /** The prompts sent so far, in the order their answers ended. */
  readonly asked: string[];
  /** Bodies of the requests so far. */
  readonly bodies: unknown[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

export const parseResults = (text: string) => jsonLines(text) as readonly BatchResult[];

/** A service that echoes each prompt without delay, after `faults`. */
export async function openBatchPlace(
  faults: readonly FaultRule[] = [],
  options: SandboxOptions = {},
): Promise<BatchPlace> {
  const folder = folderOf();
  const asked: string[] = [];
  const bodies: unknown[] = [];
  const sandbox = await startSandbox({
    latency: { origin: 0, nextgen: 0 },
    ...options,
    faults: [...faults, rule('echo')],
    log(line) {
      const { body } = JSON.parse(line) as { body?: { messages: { content: string }[] } };
      // A request without a valid key is refused before its body is read.
      if (body === undefined) return;
      bodies.push(body);
      asked.push(body.messages.at(-1)?.content ?? '');
    },
  });
  onTestFinished(async () => sandbox.close());
  const env = serviceAt(sandbox, { NATTER_API_KEY: sandboxKey });
  const inPlace = (run: RunOptions = {}) => ({ ...run, cwd: folder, env: { ...env, ...run.env } });
  return {
    folder,
    env,
    asked,
    bodies,
    write: (name, text) => writeFileSync(join(folder, name), text),
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    has: (name) => existsSync(join(folder, name)),
    results: (name) => parseResults(readFileSync(join(folder, name), 'utf8')),
    run: (words, run) => runInMemory(['batch', ...words], inPlace(run)),
    start: (words, run) => startNatter(['batch', ...words], inPlace(run)),
  };
}

/** A place whose service continues its answers only as the test lets time pass. */
export interface SlowBatchPlace extends BatchPlace {
  /** Resolves when `count` answers are in progress. */
  inProgress(count: number): Promise<void>;
  /** Waits until `count` answers are in progress, and lets these finish. */
  finish(count: number): Promise<void>;
}

/** A slow place with this number of prompts in `p.txt`. */
export async function openSlowPrompts(count: number): Promise<SlowBatchPlace> {
  const clock = createFakeClock();
  const place = await openPrompts(count, [rule('tokens=20 rate=20')], { clock });
  return {
    ...place,
    inProgress: (running) => passTime(clock, 0, running),
    // An answer takes a little more than a second, so one that is requested meanwhile does not finish too.
    finish: (running) => passTime(clock, 1500, running),
  };
}

/** One prompt per line. */
export const promptLines = (count: number) =>
  Array.from({ length: count }, (_, index) => `prompt ${index + 1}\n`).join('');

/** A place with this number of prompts in `p.txt`. */
export async function openPrompts(
  count: number,
  ...options: Parameters<typeof openBatchPlace>
): Promise<BatchPlace> {
  const place = await openBatchPlace(...options);
  place.write('p.txt', promptLines(count));
  return place;
}

/** Expects exactly one answer to every prompt, in order. */
export function expectComplete(place: BatchPlace, name: string, count: number): void {
  const results = place.results(name);
  const prompts = promptLines(count).trim().split('\n');
  expect(results.map(({ index }) => index)).toEqual(prompts.map((_, at) => at + 1));
  expect(results.map(({ content }) => content)).toEqual(prompts);
}

/** Puts packages with these versions into the folder; ioredis cannot connect. */
export function installPackages(folder: string, versions: Readonly<Record<string, string>>): void {
  const redis = `exports.Redis = class {
    on() {}
    disconnect() {}
    async connect() { throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }); }
  };`;
  for (const [name, version] of Object.entries(versions)) {
    const place = join(folder, 'node_modules', name);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'package.json'), JSON.stringify({ name, version }));
    writeFileSync(join(place, 'index.js'), name === 'ioredis' ? redis : '');
  }
}

/** The environment in which natter finds these packages. */
export const packagesOf = (folder: string) => ({ NODE_PATH: join(folder, 'node_modules') });
