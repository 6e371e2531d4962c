import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type BatchHeader,
  type JobOutcome,
  type QueuedItem,
  type QueuedResult,
  type QueueJob,
  type BatchQueue,
} from '../../../../src/batch/queue/redis-queue.ts';
import type { QueueConnection } from '../../../../src/batch/queue/connect.ts';
import { collectBatch } from '../../../../src/commands/batch/queue/collect-run.ts';
import type {
  CollectOptions,
  SubmitOptions,
  WorkOptions,
} from '../../../../src/commands/batch/queue/open-queue.ts';
import { submitBatch } from '../../../../src/commands/batch/queue/submit-run.ts';
import { workBatch } from '../../../../src/commands/batch/queue/work-run.ts';
import { startRun } from '../../../../src/run.ts';
import type { FaultRule } from '../../../../src/sandbox/faults/fault-rules.ts';
import { sandboxKey } from '../../../../src/sandbox/keys.ts';
import { startSandbox } from '../../../../src/sandbox/server.ts';
import { rule } from '../../../sandbox/sandbox-helpers.ts';
import { parseResults, promptLines } from '../../../support/batch.ts';
import { folderOf } from '../../../support/folder.ts';
import { createMemoryContext, createMemoryDevice } from '../../../support/memory-context.ts';

type State = 'waiting' | 'active' | 'delayed' | 'done' | 'failed';

interface MemoryJob {
  readonly item: QueuedItem;
  readonly attempts: number;
  state: State;
  starts: number;
  made: number;
}

/** A batch in memory with the behaviour of `redis-queue.ts`: jobs are delayed until `retryDelayed`. */
interface MemoryBatch {
  readonly queue: BatchQueue;
  readonly jobs: ReadonlyMap<string, MemoryJob>;
  /** Rates set and pauses requested, in order. */
  readonly log: string[];
  /** Lets delayed jobs wait again. */
  retryDelayed(): void;
  /** Lets the jobs of a worker that was killed wait again. */
  stall(): void;
  /** Fails, or never ends, for each following result until it is undefined again. */
  refuse: Error | 'silent' | undefined;
}

function createJobs() {
  const jobs = new Map<string, MemoryJob>();
  const inState = (...states: readonly State[]) =>
    [...jobs.values()].filter(({ state }) => states.includes(state));
  return {
    jobs,
    inState,
    move: (from: State, to: State): number => {
      const found = inState(from);
      for (const job of found) job.state = to;
      return found.length;
    },
  };
}

function stateAfter(outcome: JobOutcome, { made, attempts }: MemoryJob): State {
  if (outcome.state === 'answered') return 'done';
  if (outcome.state === 'returned') return 'waiting';
  return outcome.state === 'transient' && made < attempts ? 'delayed' : 'failed';
}

/** Runs waiting jobs, at most `concurrency` at once. */
function startWorker(
  inState: (...states: readonly State[]) => MemoryJob[],
  concurrency: number,
  run: (job: QueueJob) => Promise<JobOutcome>,
) {
  const running = new Set<Promise<void>>();
  let isClosed = false;
  const runOne = async (job: MemoryJob) => {
    job.state = 'active';
    job.starts += 1;
    const isLastAttempt = job.made + 1 >= job.attempts;
    const outcome = await run({ item: job.item, starts: job.starts, isLastAttempt });
    if (outcome.state !== 'returned') job.made += 1;
    job.state = stateAfter(outcome, job);
  };
  const fetch = () => {
    if (isClosed) return;
    for (const job of inState('waiting').slice(0, concurrency - running.size)) {
      const task = runOne(job).finally(() => running.delete(task));
      running.add(task);
    }
  };
  const timer = setInterval(fetch, 1);
  return async () => {
    isClosed = true;
    clearInterval(timer);
    while (running.size > 0) await Promise.all(running);
  };
}

function createMemoryBatch(name: string): MemoryBatch {
  const { jobs, inState, move } = createJobs();
  const items = new Map<number, string>();
  const answers = new Map<number, string>();
  const failures = new Map<number, string>();
  const log: string[] = [];
  let header: BatchHeader | undefined;
  const resultOf = (index: number): QueuedResult | undefined => {
    const line = answers.get(index) ?? failures.get(index);
    return line === undefined ? undefined : { index, isAnswered: answers.has(index), line };
  };
  const memory: MemoryBatch = {
    jobs,
    log,
    refuse: undefined,
    retryDelayed: () => void move('delayed', 'waiting'),
    stall: () => void move('active', 'waiting'),
    queue: {
      name,
      close: async () => undefined,
      header: async () => header,
      setHeader: async (value) => void (header = value),
      async add(added, attempts) {
        for (const item of added) {
          items.set(item.index, item.fingerprint);
          const id = `item-${item.index}`;
          if (!jobs.has(id)) jobs.set(id, { item, attempts, state: 'waiting', starts: 0, made: 0 });
        }
      },
      async addUnsendable(results) {
        for (const { index, line } of results) {
          items.set(index, '');
          failures.set(index, line);
        }
      },
      retryFailed: async () => move('failed', 'waiting'),
      async putResult({ index, isAnswered, line }) {
        if (memory.refuse === 'silent') {
          log.push(`silent ${index}`);
          await new Promise(() => undefined);
        }
        if (memory.refuse instanceof Error) throw memory.refuse;
        if (!isAnswered) failures.set(index, line);
        else if (!answers.has(index)) answers.set(index, line);
      },
      hasAnswer: async (index) => answers.has(index),
      fingerprints: async () => new Map([...items].sort(([one], [other]) => one - other)),
      results: async (indexes) => indexes.map(resultOf),
      counts: async () => ({
        items: items.size,
        answered: answers.size,
        failed:
          inState('failed').length + [...items.values()].filter((print) => print === '').length,
        waiting: inState('waiting').length,
        active: inState('active').length,
        delayed: inState('delayed').length,
        lastMinute: answers.size,
        workers: 0,
      }),
      setRate: async (perMinute) => void log.push(`rate ${perMinute ?? 'none'}`),
      pause: async (milliseconds) => void log.push(`pause ${milliseconds}`),
      work: (concurrency, _onError, run) => startWorker(inState, concurrency, run),
      async remove() {
        header = undefined;
        log.push('removed');
      },
    },
  };
  return memory;
}

/** A connection to batches in memory. */
export interface MemoryQueue {
  readonly connection: QueueConnection;
  batch(name: string): MemoryBatch;
  /** Loses the connection. @returns a function that restores it */
  lose(): () => void;
}

function createMemoryQueue(): MemoryQueue {
  const batches = new Map<string, MemoryBatch>();
  let restored: Promise<void> | undefined;
  const batch = (name: string) => {
    const found = batches.get(name) ?? createMemoryBatch(name);
    batches.set(name, found);
    return found;
  };
  return {
    batch,
    connection: {
      label: 'redis://queue.test:6379/0',
      async batches() {
        const names: string[] = [];
        for (const [name, { queue }] of batches) {
          if ((await queue.header()) !== undefined) names.push(name);
        }
        return names.sort();
      },
      open: (name) => batch(name).queue,
      restored: () => restored,
      giveUp: () => undefined,
      close: async () => undefined,
    },
    lose() {
      let restore: () => void = () => undefined;
      restored = new Promise((resolve) => (restore = resolve));
      return () => {
        restored = undefined;
        restore();
      };
    },
  };
}

const common = { color: 'never', input: true, concurrency: '4', retryIncomplete: '0' } as const;

const submitDefaults: SubmitOptions = {
  ...common,
  stream: true,
  attempts: '3',
  seed: '0',
  rerunFailed: '0',
  outputFormat: 'jsonl',
  answerColumn: 'answer',
};

/** A queue in memory, a folder, and a service that echoes prompts after `faults`; no request is retried. */
export async function openQueuePlace(faults: readonly FaultRule[] = []) {
  const folder = folderOf();
  const asked: string[] = [];
  const sandbox = await startSandbox({
    latency: { origin: 0, nextgen: 0 },
    faults: [...faults, rule('echo')],
    log(line) {
      const { body } = JSON.parse(line) as { body?: { messages: { content: string }[] } };
      if (body !== undefined) asked.push(body.messages.at(-1)?.content ?? '');
    },
  });
  onTestFinished(async () => sandbox.close());
  const memory = createMemoryQueue();
  const connect = async () => memory.connection;
  const environment = {
    NATTER_BASE_URL: sandbox.url,
    NATTER_API_KEY: sandboxKey,
    NATTER_RETRIES: '0',
    NATTER_CONFIG_DIR: folder,
    NATTER_STATE_DIR: folder,
  };
  const path = (name: string) => join(folder, name);
  const open = (key: string = sandboxKey) => {
    const device = createMemoryDevice();
    const made = createMemoryContext({ environment: { ...environment, NATTER_API_KEY: key } });
    return { ...made, device, context: { ...made.context, device: device.device } };
  };
  return {
    ...memory,
    asked,
    path,
    write: (name: string, text: string) => writeFileSync(path(name), text),
    results: (name: string) => parseResults(readFileSync(path(name), 'utf8')),
    /** @returns standard error */
    async submit(file: string, options: Partial<SubmitOptions> = {}): Promise<string> {
      const { context, stderr } = open();
      const run = await startRun(context, { ...submitDefaults, ...options });
      await submitBatch(run, path(file), connect);
      return stderr();
    },
    /** A running worker, whose clock moves until it ends or `freeze` is called. */
    work(options: Partial<WorkOptions> & { readonly key?: string } = {}) {
      const { key, ...rest } = options;
      const { context, clock, stderr, device, abort } = open(key);
      const started = startRun(context, { ...common, ...rest });
      const ended = started.then((run) => workBatch(run, connect));
      const frozen = new AbortController();
      const freeze = () => frozen.abort();
      ended.then(freeze, freeze);
      const run = async () => {
        while (!frozen.signal.aborted) {
          await clock.advance(500);
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      };
      void run();
      return { ended, stderr, device, abort, freeze };
    },
    /** @returns standard error and the failure of a collection that fails */
    async collectFailures(output: string) {
      const { context, stderr } = open();
      const options = { color: 'never', input: true, output: path(output) } as const;
      const run = await startRun(context, options);
      const failure: unknown = await collectBatch(run, connect).catch((error: unknown) => error);
      return { failure, stderr: stderr() };
    },
    /** @returns standard error */
    async collect(output: string | undefined, options: Partial<CollectOptions> = {}) {
      const { context, stderr, stdout } = open();
      const file = output === undefined ? {} : { output: path(output) };
      const run = await startRun(context, { color: 'never', input: true, ...file, ...options });
      await collectBatch(run, connect);
      return { stderr: stderr(), stdout: stdout() };
    },
  };
}

/** A place with a submitted batch of these prompts, or of this number of prompts. */
export async function openSubmitted(
  prompts: number | string,
  faults: readonly FaultRule[] = [],
  options: Partial<SubmitOptions> = {},
) {
  const place = await openQueuePlace(faults);
  place.write('p.txt', typeof prompts === 'string' ? prompts : promptLines(prompts));
  await place.submit('p.txt', options);
  return place;
}
