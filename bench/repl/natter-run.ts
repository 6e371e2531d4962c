import { fork } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { spawn } from '@lydell/node-pty';

const size = { cols: 100, rows: 40 };

/** A home folder, and the environment of a terminal in it. */
export interface BenchHome {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

const createdAt = '2026-11-20T12:00:00.000Z';
const last = 'the very last words';

/** A conversation of `prompts` prompts with an answer each, 1 kB in all of them. @returns its id */
function writeConversation({ folder }: BenchHome, prompts: number): string {
  const id = 'bnch2345';
  const records: object[] = [{ type: 'conversation', version: 1, id, created_at: createdAt }];
  for (let turn = 0; turn < prompts; turn += 1) {
    const parent = turn === 0 ? null : `a${turn - 1}`;
    const text =
      turn === prompts - 1 ? last : 'The sky is **blue** because of its air. '.repeat(25);
    const [prompt, answer] = [`u${turn}`, `a${turn}`];
    const common = { type: 'turn', created_at: createdAt };
    records.push(
      { ...common, id: prompt, parent, role: 'user', content: `why ${turn}?` },
      { ...common, id: answer, parent: prompt, role: 'assistant', content: '' },
      { type: 'text', turn: answer, text },
      { type: 'end', turn: answer, finish_reason: 'stop', usage: { total_tokens: 900 } },
    );
  }
  const conversations = join(folder, '.local/share/natter/conversations');
  mkdirSync(conversations, { recursive: true, mode: 0o700 });
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  writeFileSync(join(conversations, `${id}.jsonl`), lines, { mode: 0o600 });
  return id;
}

/** Milliseconds from the start to the first output, and from then to the end of the conversation. */
export async function resume(
  home: BenchHome,
  turns: number,
): Promise<{ readonly firstFrame: number; readonly end: number }> {
  const id = writeConversation(home, turns / 2);
  const words = [resolve('bin/natter.cjs'), '--sandbox', '--resume', id];
  const start = performance.now();
  const child = spawn(process.execPath, words, { ...size, env: home.env, cwd: home.folder });
  const over = new Promise((resolveOver) => child.onExit(resolveOver));
  let output = '';
  let firstFrame = Number.NaN;
  const end = await new Promise<number>((found, fail) => {
    child.onExit(() => fail(new Error(`natter ended early: ${output}`)));
    child.onData((data) => {
      output += data;
      if (Number.isNaN(firstFrame) && output.includes('›')) firstFrame = performance.now() - start;
      if (output.includes(last)) found(performance.now() - start);
    });
  });
  child.write('\u0004');
  await over;
  return { firstFrame, end: end - firstFrame };
}

/** Peak resident memory in megabytes of a conversation with one answer of `tokens` tokens (Linux). */
export async function memoryOf(home: BenchHome, tokens: number): Promise<number> {
  const script = join(__dirname, 'service.cjs');
  const service = fork(script, [resolve('test/support/certificates')]);
  const [port] = await new Promise<readonly number[]>((ready) => service.once('message', ready));
  const env = { ...home.env, NATTER_BASE_URL: `http://127.0.0.1:${port}/${tokens}` };
  const words = [resolve('bin/natter.cjs'), '-i', 'hi'];
  const child = spawn(process.execPath, words, { ...size, env, cwd: home.folder });
  const over = new Promise((resolveOver) => child.onExit(resolveOver));
  const usage = `${tokens.toLocaleString('en-US')} out`;
  let rest = '';
  await new Promise<void>((ended, fail) => {
    child.onExit(() => fail(new Error(`natter ended early: ${rest}`)));
    child.onData((data) => {
      rest = (rest + data).slice(-4000);
      if (rest.includes(usage) || /\d s · [\d,]+ tokens?\b/.test(rest)) ended();
    });
  });
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  child.write('\u0004');
  await over;
  service.disconnect();
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1000;
}
