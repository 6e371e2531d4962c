// `npm run bench` prints one table of ratios. Words choose parts of it (`npm run bench -- start-up package`); a number
// is the number of turns.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { benchOneShot } from './one-shot.ts';
import { benchStartUp } from './start-up.ts';
import type { Bench } from './support/bench.ts';
import { createRun } from './support/measure.ts';
import { formatTable, type Row } from './support/table.ts';
import { benchThroughput } from './throughput.ts';

const parts: Readonly<Record<string, (bench: Bench) => readonly Row[] | Promise<readonly Row[]>>> =
  {
    'start-up': benchStartUp,
    'one-shot': benchOneShot,
    throughput: benchThroughput,
  };

async function bench(): Promise<void> {
  const words = process.argv.slice(2);
  const turns = Number(words.find((word) => /^\d+$/.test(word)) ?? 15);
  const chosen = Object.entries(parts).filter(
    ([name]) => words.includes(name) || !words.some((word) => word in parts),
  );
  const home = mkdtempSync(join(tmpdir(), 'natter-bench-'));
  const service = fork(join(__dirname, 'service.cjs'), [resolve('test/support/certificates')], {
    env: {},
  });
  try {
    const [[plain, secure]] = (await once(service, 'message')) as [readonly [number, number]];
    const run = createRun(home, join(__dirname, 'report-memory.cjs'));
    const place: Bench = {
      run,
      turns,
      plain: (chunks) => `http://127.0.0.1:${plain}/${chunks}/v1`,
      secure: (chunks) => `https://127.0.0.1:${secure}/${chunks}/v1`,
    };
    const rows: Row[] = [];
    for (const [name, measure] of chosen) {
      process.stderr.write(`${name} …\n`);
      rows.push(...(await measure(place)));
    }
    process.stdout.write(formatTable(rows));
  } finally {
    service.disconnect();
    rmSync(home, { recursive: true, force: true });
  }
}

void bench();
