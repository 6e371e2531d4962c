// The cost of the REPL's screen, compared with two other ways to draw it with Ink. `npm run bench:repl` prints the
// tables of bench/repl.md; the argument `quick` skips the long answers.
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import { median } from '../support/table.ts';
import { memoryOf, resume } from './natter-run.ts';
import type { Cost } from './program.ts';

const folder = mkdtempSync(join(tmpdir(), 'natter-bench-'));
const idleTime = 60_000;
const size = { cols: 100, rows: 40 };
const environment = { PATH: process.env['PATH'] ?? '', HOME: folder, LANG: 'C.UTF-8' };
const env = { ...environment, TERM: 'xterm-256color', CI: 'false' };

/**
 * Runs node on a terminal; resolves with the time until its end, or until the first output that matches. Ctrl+D then
 * ends the program, so that it writes its compiled code as in normal use.
 */
function onTerminal(words: readonly string[], until?: RegExp): Promise<number> {
  const start = performance.now();
  return new Promise((resolveTime) => {
    const child = spawn(process.execPath, [...words], { ...size, env, cwd: folder });
    let output = '';
    let found: number | undefined;
    child.onData((data) => {
      output += data;
      if (found !== undefined || until === undefined || !until.test(output)) return;
      found = performance.now() - start;
      child.write('\u0004');
    });
    child.onExit(() => resolveTime(found ?? performance.now() - start));
  });
}

async function costOf(screen: string, deltas: number, rate: number): Promise<Cost> {
  const file = join(folder, `${screen}-${deltas}.json`);
  const program = join(__dirname, 'program.cjs');
  await onTerminal(['--expose-gc', program, screen, `${deltas}`, `${rate}`, file]);
  return JSON.parse(readFileSync(file, 'utf8')) as Cost;
}

function line(cells: readonly (string | number)[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

function head(cells: readonly string[]): void {
  process.stdout.write('\n');
  line(cells);
  line(cells.map(() => '---'));
}

const names: Readonly<Record<string, string>> = {
  natter: 'natter',
  static: '`<Static>`, batched',
  text: 'whole answer in `<Text>`',
};

async function benchAnswers(deltas: number, rate: number, screens: readonly string[]) {
  const floor = await costOf('nothing', deltas, rate);
  head([
    `${deltas.toLocaleString('en-US')} deltas, ${rate} a second`,
    'rate',
    'CPU per delta',
    'writes',
    'bytes over content',
    'clears',
    'heap after',
  ]);
  for (const screen of screens) {
    const cost = await costOf(screen, deltas, rate);
    line([
      names[screen] ?? screen,
      `${Math.round(deltas / cost.seconds)} a second`,
      `${Math.round(((cost.processor - floor.processor) / deltas) * 1000)} µs`,
      cost.writes,
      (cost.bytes / cost.content).toFixed(1),
      cost.clears,
      `${cost.heap.toFixed(1)} MB`,
    ]);
  }
}

async function benchFirstFrame(): Promise<void> {
  const natter: number[] = [];
  const node: number[] = [];
  const ratios: number[] = [];
  for (let turn = -1; turn < 15; turn += 1) {
    const bare = await onTerminal(['-e', '0']);
    const frame = await onTerminal([resolve('bin/natter.cjs'), '--sandbox'], /›/);
    if (turn < 0) continue;
    node.push(bare);
    natter.push(frame);
    ratios.push(frame / bare);
  }
  head(['first frame', 'medians', 'ratio']);
  const values = `${median(natter).toFixed(0)} against ${median(node).toFixed(0)} ms`;
  line(['natter --sandbox, against node -e 0', values, median(ratios).toFixed(2)]);
}

const turns = 1000;
const tokens = 100_000;

async function benchResume(): Promise<void> {
  const home = { folder, env };
  const runs = [];
  for (let run = -1; run < 5; run += 1) {
    const times = await resume(home, turns);
    if (run >= 0) runs.push(times);
  }
  head(['conversation of 1,000 turns, resumed', 'median', 'target']);
  line(['first frame', `${median(runs.map(({ firstFrame }) => firstFrame)).toFixed(0)} ms`, '-']);
  line(['its end, after that', `${median(runs.map(({ end }) => end)).toFixed(0)} ms`, '300 ms']);
}

async function benchMemory(): Promise<void> {
  head(['answer in a conversation', 'peak memory', 'target']);
  for (const [length, target] of [
    [1, '-'],
    [tokens, '90 MB'],
  ] as const) {
    const peak = await memoryOf({ folder, env }, length);
    line([`${length.toLocaleString('en-US')} tokens`, `${peak.toFixed(0)} MB`, target]);
  }
}

/** CPU time that a process has used, in milliseconds (Linux). */
function processorTime(id: number): number {
  const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(' ');
  const tick = 10;
  return (Number(fields[13]) + Number(fields[14])) * tick;
}

/** In the first minute V8 runs one garbage collection; the second is like all later ones. */
async function benchIdle(): Promise<void> {
  const words = [resolve('bin/natter.cjs'), '--sandbox'];
  const child = spawn(process.execPath, words, { ...size, env, cwd: folder });
  await new Promise<void>((shown) => child.onData((data) => data.includes('›') && shown()));
  await sleep(2000);
  head(['natter --sandbox at rest', 'CPU', 'target']);
  for (const [minute, target] of [
    ['the first minute', '-'],
    ['the next', '50 ms'],
  ] as const) {
    const before = processorTime(child.pid);
    await sleep(idleTime);
    line([minute, `${processorTime(child.pid) - before} ms`, target]);
  }
  child.write('\u0004');
}

async function bench(): Promise<void> {
  await benchFirstFrame();
  await benchResume();
  if (process.platform === 'linux') {
    await benchMemory();
    await benchIdle();
  }
  await benchAnswers(5000, 500, ['natter', 'static', 'text']);
  if (process.argv.includes('quick')) return;
  await benchAnswers(20_000, 4000, ['natter', 'static']);
  await benchAnswers(200_000, 4000, ['natter', 'static']);
}

void bench();
