import { alternate } from './support/alternate.ts';
import { oneShot, program, type Bench } from './support/bench.ts';
import { compare, type Row } from './support/table.ts';

const chunks = 200_000;

async function benchSpeed({ run, turns, plain }: Bench): Promise<readonly Row[]> {
  const programs = [program('bare', plain(chunks), chunks), oneShot(plain(chunks), chunks)];
  const [bare = [], natter = []] = await alternate(run, programs, turns);
  const openai = program('openai', plain(chunks), chunks);
  // The package takes seconds, so fewer turns are enough.
  const pair = [openai, oneShot(plain(chunks), chunks)];
  const [slow = [], fast = []] = await alternate(run, pair, Math.ceil(turns / 3));
  const what = '200,000 chunks, whole run';
  return [
    { what, against: 'bare node:http', ...compare(natter, bare, 'wall'), target: '1.15' },
    { what, against: 'openai package', ...compare(fast, slow, 'wall'), target: '0.25' },
  ];
}

async function benchMemory({ run, plain }: Bench): Promise<readonly Row[]> {
  const pair = [oneShot(plain(1), 1), oneShot(plain(chunks), chunks)];
  const [short = [], long = []] = await alternate(run, pair, 5, true);
  const what = '200,000 chunks, peak memory';
  return [{ what, against: 'one chunk', ...compare(long, short, 'memory'), target: '1.5' }];
}

export async function benchThroughput(bench: Bench): Promise<readonly Row[]> {
  return [...(await benchSpeed(bench)), ...(await benchMemory(bench))];
}
