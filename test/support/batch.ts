import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { FaultCondition, FaultRule } from '../../src/sandbox/faults/fault-rules.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import type { SandboxOptions } from '../../src/sandbox/exchange.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { rule } from '../sandbox/sandbox-helpers.ts';
import { createFakeClock } from './fake-clock.ts';
import { folderOf } from './folder.ts';
import { passTime } from './held-sandbox.ts';
import { runInMemory } from './in-memory.ts';
import { jsonLines, type RunOptions, serviceAt, startNatter } from './natter.ts';
import type { RequestBody } from './raw-server.ts';

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

export const parseResults = (text: string) => jsonLines(text) as readonly BatchResult[];

export type BatchPlace = Awaited<ReturnType<typeof openBatchPlace>>;

/** A folder to run batches in, and a service that echoes each prompt without delay, after `faults`. */
export async function openBatchPlace(
  faults: readonly FaultRule[] = [],
  options: SandboxOptions = {},
) {
  const folder = folderOf();
  /** The prompts sent so far, in the order their answers ended. */
  const asked: string[] = [];
  /** Bodies of the requests so far. */
  const bodies: RequestBody[] = [];
  const sandbox = await startSandbox({
    latency: { origin: 0, nextgen: 0 },
    ...options,
    faults: [...faults, rule('echo')],
    log(line) {
      const { body } = JSON.parse(line) as { body?: RequestBody };
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
    write: (name: string, text: string) => writeFileSync(join(folder, name), text),
    read: (name: string) => readFileSync(join(folder, name), 'utf8'),
    has: (name: string) => existsSync(join(folder, name)),
    results: (name: string) => parseResults(readFileSync(join(folder, name), 'utf8')),
    run: (words: readonly string[], run?: RunOptions) =>
      runInMemory(['batch', ...words], inPlace(run)),
    start: (words: readonly string[], run?: RunOptions) =>
      startNatter(['batch', ...words], inPlace(run)),
  };
}

/** A rule for an answer in one body with this text; `fields` are written like a group in a prompt. */
export function saying(content: string, fields = '', when?: FaultCondition): FaultRule {
  const message = { role: 'assistant', content };
  const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] });
  return rule(`body=${JSON.stringify(body)} content-type=application/json ${fields}`, when);
}

/** A place with these files. */
export async function openFiles(
  files: Readonly<Record<string, string>>,
  ...options: Parameters<typeof openBatchPlace>
): Promise<BatchPlace> {
  const place = await openBatchPlace(...options);
  for (const [name, text] of Object.entries(files)) place.write(name, text);
  return place;
}

/** A place with this number of prompts in `p.txt`, whose service continues its answers only as the test lets time pass. */
export async function openSlowPrompts(count: number) {
  const clock = createFakeClock();
  const place = await openPrompts(count, [rule('tokens=20 rate=20')], { clock });
  return {
    ...place,
    /** Resolves when `running` answers are in progress. */
    inProgress: (running: number) => passTime(clock, 0, running),
    /**
     * Waits until `running` answers are in progress, and lets these finish. An answer takes a little more than a second,
     * so one that is requested meanwhile does not finish too.
     */
    finish: (running: number) => passTime(clock, 1500, running),
  };
}

/** One prompt per line. */
export const promptLines = (count: number) =>
  Array.from({ length: count }, (_, index) => `prompt ${index + 1}\n`).join('');

/** A place with this number of prompts in `p.txt`. */
export const openPrompts = (count: number, ...options: Parameters<typeof openBatchPlace>) =>
  openFiles({ 'p.txt': promptLines(count) }, ...options);

/** Expects exactly one answer to every prompt, in order. */
export function expectComplete(place: BatchPlace, name: string, count: number): void {
  const results = place.results(name);
  const prompts = promptLines(count).trim().split('\n');
  expect(results.map(({ index }) => index)).toEqual(prompts.map((_, at) => at + 1));
  expect(results.map(({ content }) => content)).toEqual(prompts);
}

/** The warnings of Node until the test ends, such as those about too many listeners. */
export function nodeWarnings(): readonly string[] {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => void warnings.push(message);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  return warnings;
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
