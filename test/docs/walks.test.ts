import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { coverageFiles, executedFiles } from '../support/executed-files.ts';
import { folderOf } from '../support/folder.ts';
import { runNatter, serviceAt } from '../support/natter.ts';
import { response, streamed } from '../support/raw-replies.ts';
import { openRepl, openTerminal } from '../support/terminal.ts';
import { serve } from '../support/serve.ts';

type Files = ReadonlySet<string>;

/** The files named in a section of ARCHITECTURE.md: those of every run, and those of a condition. */
interface Walk {
  readonly always: Files;
  /** Folders named without a file of theirs. */
  readonly folders: Files;
  readonly conditions: ReadonlyMap<string, Files>;
}

const filesIn = (text: string): Files =>
  new Set([...text.matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, path = '']) => path));

function readWalk(heading: string): Walk {
  const architecture = readFileSync('ARCHITECTURE.md', 'utf8');
  const section = architecture.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const isStep = (line: string) => /^ *(?:\d+\.|-) /.test(line);
  const steps = section.split('\n').filter(isStep);
  const conditionOf = (line: string) => /^ +- _(.+):_/.exec(line)?.[1];
  return {
    folders: new Set([...section.matchAll(/`([\w./-]+)\/`/g)].map(([, path = '']) => path)),
    always: filesIn(steps.filter((line) => conditionOf(line) === undefined).join('\n')),
    conditions: new Map(
      steps.flatMap((line) => {
        const condition = conditionOf(line);
        return condition === undefined ? [] : [[condition, filesIn(line)] as const];
      }),
    ),
  };
}

const without = (files: Files, others: Files) => [...files].filter((path) => !others.has(path));

/** The folders of files, except src itself. */
const foldersOf = (...sets: readonly Files[]): Files =>
  new Set(
    sets
      .flatMap((files) => [...files])
      .map((path) => dirname(path))
      .filter((path) => path !== '.'),
  );

const answer = streamed('# Title\n\nSome *text*.\n\n```ts\nconst one = 1;\n```\n');
const refusal = (status: number) => response(status, { 'retry-after': '0' }, '');

/** Caches the result of `make`, which the first caller starts. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}

/** The files executed in a complete run. */
function filesOfRun(folder: string): Files {
  return executedFiles(coverageFiles(folder)[0] ?? '');
}

async function runInPipe(words: readonly string[], ...replies: readonly Buffer[]): Promise<Files> {
  const server = await serve(replies.map((reply) => [reply]));
  const folder = folderOf();
  const env = serviceAt(server, { NODE_V8_COVERAGE: folder });
  await runNatter([...words, 'review this'], { input: 'diff', env });
  return filesOfRun(folder);
}

async function runOnTerminal(): Promise<Files> {
  const server = await serve([[answer]]);
  const folder = folderOf();
  const env = serviceAt(server, { NODE_V8_COVERAGE: folder });
  const terminal = openTerminal([], { shell: 'echo diff | $NATTER "review this"', env });
  await terminal.exit;
  return filesOfRun(folder);
}

describe('the walk of one prompt', () => {
  const walk = readWalk('The life of one prompt');
  const runs: Readonly<Record<string, () => Promise<Files>>> = {
    'With `--sandbox`': () => runInPipe(['--sandbox'], answer),
    'With `--record`': () => runInPipe(['--record', join(folderOf(), 'recording')], answer),
    'In `batch` and `compare`': () => runInPipe(['compare'], answer),
    'When the prompt fails': () => runInPipe([], refusal(403)),
    'On a terminal': runOnTerminal,
  };
  const plain = once(() => runInPipe([], answer));

  test('has files', () => {
    expect(walk.always.size).toBeGreaterThan(20);
    expect([...walk.conditions.keys()].sort()).toEqual(Object.keys(runs).sort());
  });

  test('names only files that the program executes', async () => {
    expect(without(walk.always, await plain())).toEqual([]);
  });

  test('names every folder with an executed file, except those that only declare a command', async () => {
    const isDeclaration = (path: string) => /^commands\/[^/]+\/command\.ts$/.test(path);
    const executed = new Set([...(await plain())].filter((path) => !isDeclaration(path)));
    const named = new Set([...foldersOf(walk.always), ...walk.folders]);
    expect(without(foldersOf(executed), named)).toEqual([]);
  });

  test.each(Object.entries(runs))(
    '%s: names only files that are executed under this condition alone',
    async (condition, run) => {
      const named = walk.conditions.get(condition) ?? new Set();
      expect(named.size).toBeGreaterThan(0);
      expect(without(named, await run())).toEqual([]);
      expect(without(named, await plain())).toEqual([...named]);
    },
  );
});

type WatchedRepl = Awaited<ReturnType<typeof openWatchedRepl>>;

/** A REPL whose coverage can be taken while it runs. */
async function openWatchedRepl() {
  const folder = folderOf();
  const preload = resolve('test/support/take-coverage.cjs');
  const env = { NODE_V8_COVERAGE: folder, NODE_OPTIONS: `--require ${preload}` };
  const terminal = await openRepl(['--sandbox'], { env });
  return {
    terminal,
    /** The files executed since the last call. */
    async take() {
      const taken = coverageFiles(folder).length;
      terminal.kill('SIGUSR2');
      await expect.poll(() => coverageFiles(folder).length).toBe(taken + 1);
      const file = coverageFiles(folder)[taken] ?? '';
      // Node may still be writing it.
      await expect.poll(() => readFileSync(file, 'utf8')).toMatch(/\}\s*$/);
      return executedFiles(file);
    },
  };
}

describe('the walk of one keypress', () => {
  const walk = readWalk('The life of one keypress');
  /** Waits until no file is executed for `quiet` milliseconds; returns the files executed until then. */
  async function settle(repl: WatchedRepl, quiet: number): Promise<Files> {
    const executed = await repl.take();
    await sleep(quiet);
    const later = await repl.take();
    if (later.size === 0) return executed;
    return new Set([...executed, ...later, ...(await settle(repl, quiet))]);
  }

  const watch = once(async () => {
    const repl = await openWatchedRepl();
    // A second after its start a REPL loads modules that it may need later.
    await settle(repl, 1_200);
    repl.terminal.type('x');
    await repl.terminal.waitFor(/› x/);
    const letter = await repl.take();
    const pause = await settle(repl, 1_200);
    repl.terminal.type('\u0001');
    await sleep(100);
    const bound = await settle(repl, 100);
    repl.terminal.kill('SIGKILL');
    await repl.terminal.exit;
    return { letter, pause, bound };
  });

  test('names only files that the program executes', async () => {
    expect(walk.always.size).toBeGreaterThan(12);
    const { letter } = await watch();
    expect(without(walk.always, letter)).toEqual([]);
  });

  test('names every folder with an executed file', async () => {
    const { letter, pause, bound } = await watch();
    const all = new Set([...foldersOf(walk.always, ...walk.conditions.values()), ...walk.folders]);
    expect(without(foldersOf(letter, pause, bound), all)).toEqual([]);
  });

  test.each([
    ['For a key with a binding, such as Ctrl+A', 'bound'],
    ['Half a second later', 'pause'],
  ] as const)('%s: names only files that are executed then', async (condition, run) => {
    const named = walk.conditions.get(condition) ?? new Set();
    const executed = await watch();
    expect(named.size).toBeGreaterThan(0);
    expect(without(named, executed[run])).toEqual([]);
  });
});
