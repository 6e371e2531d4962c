// `npm run bench` prints one table of ratios. Names choose parts of it (`npm run bench -- start prompt`); `--turns` is the
// number of runs of each program, `--items` that of the large batch. A figure never fails anything.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchBatch } from './batch.ts';
import { bundled, formatTable, type Bench, type Row } from './harness.ts';
import { benchLimits } from './limits.ts';
import { benchPrompt, benchStart, benchStream, certificates } from './prompts.ts';
import { benchRepl } from './repl.ts';

const parts: Readonly<Record<string, (bench: Bench) => Promise<readonly Row[]>>> = {
  start: benchStart,
  prompt: benchPrompt,
  stream: benchStream,
  repl: benchRepl,
  batch: benchBatch,
  limits: benchLimits,
};
/** Those that need less than a minute. */
const usual = ['start', 'prompt', 'stream'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    turns: { type: 'string', default: '15' },
    items: { type: 'string', default: '1000000' },
  },
});
const names = positionals.length === 0 ? usual : positionals;
const home = mkdtempSync(join(tmpdir(), 'natter-bench-'));
const service = fork(bundled('service.js'), [certificates], { env: {} });
try {
  const [[plain, secure, fast]] = (await once(service, 'message')) as [number[]];
  const bench: Bench = {
    home,
    turns: Number(values.turns),
    items: Number(values.items),
    plain: (chunks) => `http://127.0.0.1:${plain}/${chunks}/v1`,
    secure: (chunks) => `https://127.0.0.1:${secure}/${chunks}/v1`,
    fast: `http://127.0.0.1:${fast}/v1`,
  };
  const rows: Row[] = [];
  for (const name of names) {
    const measure = parts[name];
    if (measure === undefined) {
      throw new Error(`there is no ${name}, only ${Object.keys(parts).join(', ')}`);
    }
    process.stderr.write(`${name} …\n`);
    rows.push(...(await measure(bench)));
  }
  process.stdout.write(formatTable(rows));
} finally {
  service.disconnect();
  rmSync(home, { recursive: true, force: true });
}
