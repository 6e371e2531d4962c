// The speed and memory of `natter batch`, with a service that is not the limit.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  alternate,
  bundled,
  compare,
  figure,
  medianOf,
  natter,
  type Bench,
  type Program,
  type Row,
} from './harness.ts';

const concurrency = '16';
const compared = 20_000;

function writePrompts({ home }: Bench, items: number): string {
  const input = join(home, `prompts-${items}.txt`);
  const lines = Array.from(
    { length: items },
    (_, at) => `What is worth knowing about ${at + 1}?\n`,
  );
  writeFileSync(input, lines.join(''));
  return input;
}

/** @throws Error when a result is missing, duplicated, out of order, or an error */
function checkResults(file: string, items: number): void {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const wrong = lines.findIndex((line, at) => {
    const { index, content } = JSON.parse(line) as { index: number; content?: string };
    return index !== at + 1 || content !== 'abcde '.repeat(5);
  });
  if (lines.length !== items || wrong !== -1) {
    throw new Error(`${lines.length} results for ${items} items: ${lines[wrong] ?? ''}`);
  }
}

export async function benchBatch(bench: Bench): Promise<readonly Row[]> {
  const few = { ...bench, turns: Math.ceil(bench.turns / 3) };
  const output = join(bench.home, 'answers.jsonl');
  const batch = (items: number): Program => {
    const words = ['batch', writePrompts(bench, items), '-o', output, '-q'];
    return natter([...words, '--concurrency', concurrency], bench.fast);
  };
  const anew = () => rmSync(output, { force: true });
  const bare = {
    name: 'bare undici',
    words: [bundled('bare-batch.cjs'), bench.fast, `${compared}`, concurrency],
  };
  const pair = [{ ...batch(compared), prepare: anew }, bare];
  const [ours, others] = await alternate(few, pair, true);
  checkResults(output, compared);
  const speed = compare(others, ours, 'wall');
  const perSecond = (samples = ours) =>
    Math.round((1000 * compared) / medianOf(samples ?? [], 'wall')).toLocaleString('en-US');
  const items = bench.items.toLocaleString('en-US');
  anew();
  const once = { ...bench, turns: 1 };
  // The run before the measured one answers all items, which the measured one then finds.
  const [again] = await alternate(once, [batch(bench.items)], true);
  anew();
  const [whole] = await alternate(once, [{ ...batch(bench.items), prepare: anew }], true);
  const memory = (samples = whole) => `${(medianOf(samples ?? [], 'memory') / 1000).toFixed(0)} MB`;
  return [
    {
      what: `batch of ${compared.toLocaleString('en-US')} items, ${concurrency} at once, items a second`,
      against: bare.name,
      values: `${perSecond()} against ${perSecond(others)}`,
      ratio: speed.ratio,
      aim: '≥ 0.25',
    },
    {
      what: 'CPU of these items',
      against: bare.name,
      ...compare(ours, others, 'cpu'),
      aim: '-',
    },
    figure(`batch of ${items} items, peak memory`, memory(), '250 MB'),
    figure(`${items} answered items again, peak memory`, memory(again), '250 MB'),
  ];
}
