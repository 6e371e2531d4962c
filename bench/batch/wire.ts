// Compares `natter batch` with bare programs on one server that is not the limit.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promptOf } from './bare.ts';

interface Measured {
  /** Items a second. */
  readonly speed: number;
  /** Milliseconds of an item. */
  readonly cpu: number;
}

const beside = (name: string) => fileURLToPath(new URL(`./${name}.js`, import.meta.url));
const usageHook = resolve('bench/batch/usage.cjs');

function measure(items: number, folder: string, url: string, words: readonly string[]): Measured {
  const usage = join(folder, 'usage.json');
  const environment = { NATTER_BASE_URL: url, NATTER_API_KEY: 'bench-key-123456789' };
  const start = performance.now();
  const { status } = spawnSync(process.execPath, ['--require', usageHook, ...words], {
    env: { PATH: process.env['PATH'], HOME: folder, NATTER_BENCH_USAGE: usage, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`${words[0]} ended with ${status}`);
  const speed = (1000 * items) / (performance.now() - start);
  const { cpu } = JSON.parse(readFileSync(usage, 'utf8')) as { readonly cpu: number };
  return { speed, cpu: cpu / items };
}

const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

const medianOf = (runs: readonly Measured[]): Measured => ({
  speed: median(runs.map((run) => run.speed)),
  cpu: median(runs.map((run) => run.cpu)),
});

/** With the shares of the speed and the CPU of the bare undici program. */
function describe({ speed, cpu }: Measured, bare: Measured): string {
  const perSecond = Math.round(speed).toLocaleString('en-US');
  const shares = [speed / bare.speed, cpu / bare.cpu].map((share) => share.toFixed(2));
  return `${perSecond}/s (${shares[0]}), ${cpu.toFixed(3)} ms (${shares[1]})`;
}

const bareUndici = 'bare undici Pool';
/** Runs in which natter writes its cache of compiled code, as in the first days of an installation. */
const cacheRuns = 3;

/**
 * Three runs of each program in turns, after runs that are not measured.
 * @returns rows of the table: items a second and CPU of an item
 */
export async function compareOnWire(
  items: number,
  folder: string,
): Promise<readonly (readonly [string, string])[]> {
  const server = spawn(process.execPath, [beside('server')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  const url = line.toString().trim();
  const input = join(folder, 'wire.txt');
  const output = join(folder, 'wire.jsonl');
  writeFileSync(input, Array.from({ length: items }, (_, at) => `${promptOf(at + 1)}\n`).join(''));
  const rows: [string, string][] = [];
  for (let run = 0; run < cacheRuns; run += 1) {
    rmSync(output, { force: true });
    measure(items, folder, url, [resolve('bin/natter.cjs'), 'batch', input, '-o', output, '-q']);
  }
  for (const concurrency of ['16', '64']) {
    const batch = [resolve('bin/natter.cjs'), 'batch', input, '-o', output, '-q'];
    const programs = {
      'bare node:http': [beside('bare-node'), url, String(items), concurrency],
      [bareUndici]: [beside('bare-undici'), url, String(items), concurrency],
      'natter batch': [...batch, '--concurrency', concurrency],
    };
    const runs = new Map(Object.keys(programs).map((name) => [name, [] as Measured[]]));
    for (let round = 0; round < 3; round += 1) {
      for (const [name, words] of Object.entries(programs)) {
        rmSync(output, { force: true });
        runs.get(name)?.push(measure(items, folder, url, words));
      }
    }
    const bare = medianOf(runs.get(bareUndici) ?? []);
    for (const [name, measured] of runs) {
      rows.push([`${name}, ${concurrency} at once`, describe(medianOf(measured), bare)]);
    }
  }
  server.kill();
  return rows;
}
