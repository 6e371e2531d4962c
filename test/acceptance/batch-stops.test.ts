import { execFile, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { rule } from '../sandbox/sandbox-helpers.ts';
import { openBatchPlace, openSlowBatchPlace, parseResults, promptLines } from '../support/batch.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { type RunningNatter, binary, cleanEnvironment, serviceAt } from '../support/natter.ts';
import { chunk, delta, streamHead } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';
import { openTerminal } from '../support/terminal.ts';

/** A service that sends the beginning of each answer and then nothing more. */
async function openSilentPlace(answers: number) {
  const beginning = Buffer.concat([streamHead(), chunk(delta('the first words'))]);
  const server = await serve(Array.from({ length: answers }, () => [beginning]));
  return { place: await openBatchPlace(), env: { ...serviceAt(server), NATTER_DEBUG: '1' } };
}

describe('Ctrl+C', () => {
  test('P8 pressed twice cancels the answers, and keeps the text received', async () => {
    const { place, env } = await openSilentPlace(2);
    place.write('p.txt', promptLines(5));
    const natter = place.start(['p.txt', '-o', 'out.jsonl', '--concurrency', '2'], { env });
    await natter.waitFor('stderr', /(?:is answered[^]*){2}/);
    natter.child.kill('SIGINT');
    await natter.waitFor('stderr', /Ctrl\+C again/);
    natter.child.kill('SIGINT');
    expect((await natter.result).signal).toBe('SIGINT');
    const cut = { content: 'the first words', incomplete: true, error: { kind: 'incomplete' } };
    expect(place.results('out.jsonl')).toMatchObject([cut, cut]);
    expect(place.has('out.jsonl.lock')).toBe(false);
  });

  test('P6 a second SIGTERM cancels answers, and keeps the text received', async () => {
    const { place, env } = await openSilentPlace(1);
    place.write('p.txt', promptLines(1));
    const natter = place.start(['p.txt', '-o', 'out.jsonl'], { env });
    await natter.waitFor('stderr', /is answered/);
    natter.child.kill('SIGTERM');
    await natter.waitFor('stderr', /SIGTERM: finishing/);
    // Within a second, it counts as the same signal.
    await pause(1000);
    natter.child.kill('SIGTERM');
    const { code, stderr } = await natter.result;
    expect({ code, stderr }).toEqual({
      code: 75,
      stderr: expect.stringMatching(/0 of 1 item answered in .*; 1 failed: 1 incomplete/) as string,
    });
    expect(place.results('out.jsonl')).toMatchObject([
      { content: 'the first words', error: { kind: 'incomplete' } },
    ]);
  });

  test('Y7: items answered by an earlier run do not count as left', async () => {
    const place = await openSlowBatchPlace();
    place.write('p.txt', promptLines(6));
    const first = place.start(['p.txt', '-o', 'out.jsonl']);
    await place.finish(4);
    await place.finish(2);
    expect((await first.result).code).toBe(0);
    const lines = place.read('out.jsonl').split('\n');
    place.write('out.jsonl', `${[...lines.slice(0, 1), ...lines.slice(3, 6)].join('\n')}\n`);
    const second = place.start(['p.txt', '-o', 'out.jsonl', '--concurrency', '1']);
    await place.inProgress(1);
    second.child.kill('SIGINT');
    await second.waitFor('stderr', /Ctrl\+C again/);
    await place.finish(1);
    expect((await second.result).stderr).toMatch(
      /stopped: 5 of 6 items answered \(4 before\).*, 1 left/,
    );
  });

  test('Y7: cancelled before the first result, it leaves no file', async () => {
    const server = await serve([[]]);
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(3));
    const natter = place.start(['p.txt', '-o', 'out.jsonl'], { env: serviceAt(server) });
    await server.received(3);
    natter.child.kill('SIGINT');
    await natter.waitFor('stderr', /Ctrl\+C again/);
    natter.child.kill('SIGINT');
    expect((await natter.result).signal).toBe('SIGINT');
    expect([place.has('out.jsonl'), place.has('out.jsonl.lock')]).toEqual([false, false]);
  });
});

test('prompts are answered before the input ends', async () => {
  const place = await openBatchPlace();
  const natter = place.start(['-'], { input: 'one\n', keepInputOpen: true });
  await natter.waitFor('stdout', /"index":1/);
  natter.child.stdin?.end('two\n');
  const { code, stdout } = await natter.result;
  expect(code).toBe(0);
  expect(stdout.trim().split('\n')).toHaveLength(2);
});

test('a terminal shows the progress of a batch on one line, which is removed at the end', async () => {
  const place = await openSlowBatchPlace();
  place.write('p.txt', promptLines(6));
  const words = ['batch', `${place.folder}/p.txt`, '-o', `${place.folder}/out.jsonl`];
  const terminal = openTerminal(words, { env: place.env, columns: 40 });
  await place.finish(4);
  await terminal.waitFor(/4 of 6/);
  await place.finish(2);
  await terminal.exit;
  const shown = await terminal.transcript();
  expect(shown).toMatch(/^natter: 6 of 6 items answered/);
  expect(terminal.output()).not.toContain('\n4 of 6');
});

test('on a terminal without input, the failure shows how to start a batch', async () => {
  const terminal = openTerminal(['batch']);
  expect((await terminal.exit).exitCode).toBe(2);
  expect(await terminal.transcript()).toContain('natter batch prompts.txt');
});

test('X21: a full disk ends a batch that waits for more input', async () => {
  const place = await openBatchPlace();
  const words = `"${process.execPath}" "${binary}" batch - -o out.jsonl --concurrency 64`;
  const script = `trap '' XFSZ; ulimit -f 2; exec ${words}`;
  const shell = spawn('/bin/sh', ['-c', script], {
    cwd: place.folder,
    env: cleanEnvironment(place.env),
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let stderr = '';
  shell.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  shell.stdin.write(promptLines(20));
  const code = await new Promise((resolve) => shell.on('close', resolve));
  expect({ code, stderr }).toMatchObject({
    code: 12,
    stderr: expect.stringContaining('cannot write out.jsonl') as string,
  });
});

test('Y7: a long pause requested by the service is reported where no progress is shown', async () => {
  const faults = [rule('429 retry-after=60')];
  const clock = createFakeClock();
  const place = await openBatchPlace(faults, { clock });
  place.write('p.txt', promptLines(2));
  const natter = place.start(['p.txt', '--concurrency', '1']);
  await natter.waitFor('stderr', /rate limit/);
  natter.child.kill('SIGINT');
  const { stderr } = await natter.result;
  // On a busy machine the second item is refused some seconds after the first, whose wait counts.
  expect(stderr).toMatch(/^natter: rate limit: pausing new requests for 6\d s$/m);
});

test('D9 answers that do not fit on the disk are printed, and the next run requests them again', async () => {
  const place = await openBatchPlace();
  place.write('p.txt', promptLines(20));
  const words = `"${process.execPath}" "${binary}" batch p.txt -o out.jsonl`;
  // Blocks of 512 bytes or 1 kB, depending on the shell; a write beyond the limit fails as on a full disk.
  const script = `trap '' XFSZ; ulimit -f 2; exec ${words}`;
  const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
    const options = { cwd: place.folder, env: cleanEnvironment(place.env) };
    execFile('/bin/sh', ['-c', script], options, (error, output) =>
      resolve({ code: error?.code, stdout: output }),
    );
  });
  expect(code).toBe(12);
  const [saved, printed] = [place.results('out.jsonl'), parseResults(stdout)];
  expect(printed.length).toBeGreaterThan(0);
  expect(saved.length + printed.length).toBe(place.asked.length);
  expect((await place.run(['p.txt', '-o', 'out.jsonl'])).code).toBe(0);
  expect(
    place
      .results('out.jsonl')
      .map(({ content }) => `${content}\n`)
      .join(''),
  ).toBe(promptLines(20));
});

/** If Node opens a debugger, it uses a free port and reports it on standard error. */
const anyPort = { NODE_OPTIONS: '--inspect-port=0' };

interface Stop {
  readonly name: string;
  readonly signal: NodeJS.Signals;
  readonly notice: RegExp;
  /** How natter ends when items are left, and when none is. */
  readonly unfinished: object;
  readonly finished: object;
  readonly stopped: string;
}

const interruption = { signal: 'SIGINT' };

const stops: readonly Stop[] = [
  {
    name: 'P5 Ctrl+C',
    signal: 'SIGINT',
    notice: /finishing running requests; press Ctrl\+C again to cancel them/,
    unfinished: interruption,
    finished: interruption,
    stopped: 'stopped',
  },
  {
    name: 'SIGTERM',
    signal: 'SIGTERM',
    notice: /SIGTERM: finishing running requests within 25 s/,
    unfinished: { code: 75 },
    finished: { code: 0 },
    stopped: 'stopped by SIGTERM',
  },
  {
    name: 'X4 SIGUSR1',
    signal: 'SIGUSR1',
    notice: /SIGUSR1: finishing running requests, sending no new ones/,
    unfinished: { code: 75 },
    finished: { code: 0 },
    stopped: 'stopped by SIGUSR1',
  },
];

describe.each(stops)('$name', ({ signal, notice, unfinished, finished, stopped }) => {
  const send = async (natter: RunningNatter): Promise<void> => {
    natter.child.kill(signal);
    await natter.waitFor('stderr', notice);
  };

  test('lets the answers in progress finish, and starts no more', async () => {
    const place = await openSlowBatchPlace();
    place.write('p.txt', promptLines(20));
    const words = ['p.txt', '-o', 'out.jsonl', '--concurrency', '3'];
    const natter = place.start(words, { env: anyPort });
    await place.finish(3);
    await place.inProgress(3);
    await send(natter);
    await place.finish(3);
    const end = await natter.result;
    expect(end).toMatchObject(unfinished);
    expect(end.stderr).toContain(`natter: ${stopped}: 6 of 20 items answered in `);
    expect(end.stderr).toMatch(/, 14 left(;|\n ) run the same command again for the rest/);
    expect(end.stderr).not.toContain('Debugger');
    const results = place.results('out.jsonl');
    expect(results).toHaveLength(6);
    expect(place.asked).toHaveLength(6);
    expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(place.has('out.jsonl.lock')).toBe(false);
  });

  test('Y7: with every item in progress, leaves no items', async () => {
    const place = await openSlowBatchPlace();
    place.write('p.txt', promptLines(3));
    const natter = place.start(['p.txt', '-o', 'out.jsonl'], { env: anyPort });
    await place.inProgress(3);
    await send(natter);
    await place.finish(3);
    const end = await natter.result;
    expect(end).toMatchObject(finished);
    expect(end.stderr).toMatch(/natter: 3 of 3 items answered in [^;]*\n$/);
    expect(place.results('out.jsonl')).toHaveLength(3);
  });

  test('ends a batch that waits for more input', async () => {
    const place = await openBatchPlace();
    const natter = place.start(['-'], { input: 'one\n', keepInputOpen: true, env: anyPort });
    await natter.waitFor('stdout', /"index":1/);
    await send(natter);
    const end = await natter.result;
    expect(end).toMatchObject(unfinished);
    expect(end.stderr).toMatch(/1 item answered in .*, input not fully read/);
  });
});
