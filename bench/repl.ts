// The REPL in a pseudo-terminal: its first frame, a long conversation resumed, and a streamed answer. Linux only.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { bundled, figure, median, natter, node, type Bench, type Row } from './harness.ts';

interface Session {
  /** Milliseconds from the start until each of the texts was shown. */
  readonly times: readonly number[];
  /** Milliseconds of CPU until then. */
  readonly cpu: number;
  /** Peak resident memory until then, in megabytes. */
  readonly memory: number;
  /** How often the screen or the scrollback was erased. */
  readonly clears: number;
}

/** CPU time in milliseconds, and peak memory. */
function usageOf(id: number): { readonly cpu: number; readonly memory: number } {
  const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(' ');
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1];
  const tick = 10;
  return { cpu: (Number(fields[13]) + Number(fields[14])) * tick, memory: Number(peak) / 1000 };
}

/**
 * Runs node on a terminal until it has shown each of the texts. Ctrl+D then ends the program, so that it writes its
 * compiled code as in normal use.
 */
function onTerminal(
  { home }: Bench,
  words: readonly string[],
  texts: readonly RegExp[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Session> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, LANG: 'C.UTF-8', ...environment };
  const start = performance.now();
  const child = spawn(process.execPath, [...words], {
    cols: 100,
    rows: 40,
    cwd: home,
    env: { ...env, TERM: 'xterm-256color', CI: 'false' },
  });
  const times: number[] = [];
  let [recent, clears] = ['', 0];
  let usage = { cpu: Number.NaN, memory: Number.NaN };
  return new Promise((done, fail) => {
    child.onData((data) => {
      recent = (recent + data).slice(-10_000);
      clears += data.match(/\u001B\[[23]J/g)?.length ?? 0;
      while (times.length < texts.length && texts[times.length]?.test(recent) === true) {
        times.push(performance.now() - start);
        if (times.length < texts.length) continue;
        usage = usageOf(child.pid);
        child.write('\u0004');
      }
    });
    child.onExit(() => {
      if (texts.length === 0) times.push(performance.now() - start);
      if (times.length >= texts.length) done({ times, clears, ...usage });
      else fail(new Error(`${words.join(' ')}: ${recent}`));
    });
  });
}

const frame = /›/;

async function benchFirstFrame(bench: Bench): Promise<Row> {
  const [bare, ours, ratios]: [number[], number[], number[]] = [[], [], []];
  for (let turn = -1; turn < bench.turns; turn += 1) {
    const [empty = Number.NaN] = (await onTerminal(bench, node.words, [])).times;
    const [first = Number.NaN] = (await onTerminal(bench, natter(['--sandbox']).words, [frame]))
      .times;
    if (turn < 0) continue;
    bare.push(empty);
    ours.push(first);
    ratios.push(first / empty);
  }
  const values = `${median(ours).toFixed(0)} against ${median(bare).toFixed(0)} ms`;
  const ratio = median(ratios).toFixed(2);
  return { what: 'REPL, first frame', against: node.name, values, ratio, aim: '5.0' };
}

const createdAt = '2026-11-20T12:00:00.000Z';
const last = 'the very last words';

/** A conversation of `prompts` prompts with an answer each, 1 kB in all of them. @returns its id */
function writeConversation({ home }: Bench, prompts: number): string {
  const id = 'bnch2345';
  const records: object[] = [{ type: 'conversation', version: 1, id, created_at: createdAt }];
  for (let turn = 0; turn < prompts; turn += 1) {
    const parent = turn === 0 ? null : `a${turn - 1}`;
    const long = 'The sky is **blue** because of its air. '.repeat(25);
    const text = turn === prompts - 1 ? last : long;
    const [prompt, answer] = [`u${turn}`, `a${turn}`];
    const common = { type: 'turn', created_at: createdAt };
    records.push(
      { ...common, id: prompt, parent, role: 'user', content: `why ${turn}?` },
      { ...common, id: answer, parent: prompt, role: 'assistant', content: '' },
      { type: 'text', turn: answer, text },
      { type: 'end', turn: answer, finish_reason: 'stop', usage: { total_tokens: 900 } },
    );
  }
  const conversations = join(home, '.local/share/natter/conversations');
  mkdirSync(conversations, { recursive: true, mode: 0o700 });
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  writeFileSync(join(conversations, `${id}.jsonl`), lines, { mode: 0o600 });
  return id;
}

async function benchResume(bench: Bench): Promise<Row> {
  const times: number[] = [];
  for (let run = -1; run < bench.turns / 3; run += 1) {
    const { words } = natter(['--sandbox', '--resume', writeConversation(bench, 500)]);
    const [first = 0, end = 0] = (await onTerminal(bench, words, [frame, new RegExp(last)])).times;
    if (run >= 0) times.push(end - first);
  }
  const what = '1,000 turns resumed, from the first frame to their end';
  return figure(what, `${median(times).toFixed(0)} ms`, '400 ms');
}

/** natter shows the tokens of an answer that has ended. */
const ended = /[\d,]+ out|\d s · [\d,]+ tokens?\b/;

function showAnswer(bench: Bench, baseUrl: string): Promise<Session> {
  const { words, environment } = natter(['-i', 'hi'], baseUrl);
  return onTerminal(bench, words, [ended], environment);
}

async function benchMemory(bench: Bench): Promise<Row> {
  const { memory } = await showAnswer(bench, bench.plain(100_000));
  return figure('answer of 100,000 tokens, peak memory', `${memory.toFixed(0)} MB`, '120 MB');
}

/** Deltas of six characters of a Markdown answer, and how many come in a second. */
const [count, rate] = [5000, 500];

/** The CPU of a delta is that of the whole answer, without that of an answer of one delta. */
async function benchDeltas(bench: Bench): Promise<readonly Row[]> {
  const url = (deltas: number) => bench.plain(deltas).replace('/v1', `/${rate}/v1`);
  const screens = {
    natter: (deltas: number) => showAnswer(bench, url(deltas)),
    static: (deltas: number) =>
      onTerminal(bench, [bundled('static-screen.js'), url(deltas)], [/is finished/], {
        NODE_ENV: 'production',
      }),
  };
  const costs = { natter: [] as number[], static: [] as number[] };
  let clears = 0;
  for (let turn = 0; turn < bench.turns / 5; turn += 1) {
    for (const name of ['natter', 'static'] as const) {
      const [one, all] = [await screens[name](1), await screens[name](count)];
      costs[name].push((1000 * (all.cpu - one.cpu)) / count);
      if (name === 'natter') clears += all.clears;
    }
  }
  const [ours, others] = [median(costs.natter), median(costs.static)];
  const what = `a delta, ${rate} a second, CPU`;
  const values = `${ours.toFixed(0)} against ${others.toFixed(0)} µs`;
  const ratio = (ours / others).toFixed(2);
  return [
    { what, against: '`<Static>`, batched', values, ratio, aim: '0.5' },
    figure('clears of the screen in these answers', `${clears}`, '0'),
  ];
}

export async function benchRepl(bench: Bench): Promise<readonly Row[]> {
  return [
    await benchFirstFrame(bench),
    await benchResume(bench),
    await benchMemory(bench),
    ...(await benchDeltas(bench)),
  ];
}
