// Shows an answer on its terminal in one of three ways, and writes the cost into a file:
// `program.cjs screen deltas rate file`, with the rate in deltas per second.
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { deltas } from './answer.ts';
import { openStatic, openText } from './ink-screens.tsx';
import { openNatter } from './natter-screen.ts';
import type { BenchScreen, Terminal } from './screen.ts';

export interface Cost {
  readonly deltas: number;
  /** CPU time in milliseconds. */
  readonly processor: number;
  /** Time to feed the deltas. */
  readonly seconds: number;
  readonly writes: number;
  readonly bytes: number;
  readonly content: number;
  /** How often the screen or the scrollback was erased. */
  readonly clears: number;
  /** Megabytes after a garbage collection. */
  readonly heap: number;
}

const openers: Readonly<Record<string, (terminal: Terminal) => Promise<BenchScreen>>> = {
  natter: openNatter,
  text: openText,
  static: openStatic,
  /** The cost of feeding alone. */
  nothing: async () => ({ add: () => undefined, close: () => undefined }),
};

const counts = { writes: 0, bytes: 0, clears: 0 };

function countWrites(): void {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (text: string, ...rest: []) => {
    counts.writes += 1;
    counts.bytes += Buffer.byteLength(text);
    counts.clears += text.match(/\u001B\[[23]J/g)?.length ?? 0;
    return write(text, ...rest);
  };
}

/** Feeds each delta when it is due, several at once where timers are coarser. */
async function feed(screen: BenchScreen, count: number, rate: number): Promise<number> {
  const begin = performance.now();
  let content = 0;
  let fed = 0;
  for (const delta of deltas(count)) {
    const due = begin + (fed / rate) * 1000;
    if (due - performance.now() > 1) await sleep(due - performance.now());
    await screen.add(delta);
    content += Buffer.byteLength(delta);
    fed += 1;
  }
  return content;
}

async function run(name: string, count: number, rate: number): Promise<Cost> {
  const { stdout } = process;
  countWrites();
  const screen = await openers[name]?.({
    columns: () => stdout.columns,
    rows: () => stdout.rows,
    hasSize: () => true,
    write: (text) => {
      stdout.write(text);
    },
  });
  if (screen === undefined) throw new Error(`unknown screen ${name}`);
  await sleep(200);
  const before = process.cpuUsage();
  const begin = performance.now();
  const content = await feed(screen, count, rate);
  const seconds = (performance.now() - begin) / 1000;
  await sleep(200);
  const { user, system } = process.cpuUsage(before);
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed / 1e6;
  await screen.close();
  const processor = (user + system) / 1000;
  return { deltas: count, processor, seconds, content, heap, ...counts };
}

async function main(): Promise<void> {
  const [, , name = '', count = '', rate = '', file = ''] = process.argv;
  writeFileSync(file, JSON.stringify(await run(name, Number(count), Number(rate))));
}

void main();
