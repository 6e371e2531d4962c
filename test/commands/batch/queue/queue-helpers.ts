import { join } from 'node:path';
import {
  type BatchHeader,
  type JobOutcome,
  type QueuedItem,
  type QueueJob,
  type BatchQueue,
} from '../../../../src/batch/queue/redis-queue.ts';
import type { QueueConnection } from '../../../../src/batch/queue/connect.ts';
import {
  collectBatch,
  type CollectOptions,
  submitBatch,
  type SubmitOptions,
  type WorkOptions,
} from '../../../../src/commands/batch/queue/queue-run.ts';
import { workBatch } from '../../../../src/commands/batch/queue/work-run.ts';
import { startRun } from '../../../../src/run.ts';
import type { FaultRule } from '../../../../src/sandbox/faults/fault-rules.ts';
import { openBatchPlace, promptLines } from '../../../support/batch.ts';
import { createMemoryContext, createMemoryDevice } from '../../../support/memory-context.ts';

type State = 'waiting' | 'active' | 'delayed' | 'done' | 'failed';

interface MemoryJob {
  readonly item: QueuedItem;
  readonly attempts: number;
  state: State;
  starts: number;
  made: number;
}

function stateAfter(outcome: JobOutcome, { made, attempts }: MemoryJob): State {
  if (outcome.state === 'answered') return 'done';
  if (outcome.state === 'returned') return 'waiting';
  return outcome.state === 'transient' && made < attempts ? 'delayed' : 'failed';
}

/** A batch in memory with the behaviour of `redis-queue.ts`: jobs are delayed until `retryDelayed`. */
class MemoryBatch {
  readonly jobs = new Map<string, MemoryJob>();
  /** Rates set and pauses requested, in order. */
  readonly log: string[] = [];
  /** Fails, or never ends, for each following result until it is undefined again. */
  refuse: Error | 'silent' | undefined;
  readonly queue: BatchQueue;

  constructor(name: string) {
    const items = new Map<number, string>();
    const answers = new Map<number, string>();
    const failures = new Map<number, string>();
    const countIn = (state: State) => this.#inState(state).length;
    let header: BatchHeader | undefined;
    this.queue = {
      name,
      close: async () => undefined,
      header: async () => header,
      setHeader: async (value) => void (header = value),
      add: async (added, attempts) => {
        for (const item of added) {
          items.set(item.index, item.fingerprint);
          const id = `item-${item.index}`;
          const job = { item, attempts, state: 'waiting', starts: 0, made: 0 } as const;
          if (!this.jobs.has(id)) this.jobs.set(id, { ...job });
        }
      },
      async addUnsendable(results) {
        for (const { index, line } of results) {
          items.set(index, '');
          failures.set(index, line);
        }
      },
      retryFailed: async () => this.#move('failed', 'waiting'),
      putResult: async ({ index, isAnswered, line }) => {
        if (this.refuse === 'silent') {
          this.log.push(`silent ${index}`);
          await new Promise(() => undefined);
        }
        if (this.refuse instanceof Error) throw this.refuse;
        if (!isAnswered) failures.set(index, line);
        else if (!answers.has(index)) answers.set(index, line);
      },
      hasAnswer: async (index) => answers.has(index),
      fingerprints: async () => new Map([...items].sort(([one], [other]) => one - other)),
      async *results(indexes) {
        for (const index of indexes) {
          const line = answers.get(index) ?? failures.get(index);
          if (line !== undefined) yield { index, isAnswered: answers.has(index), line };
        }
      },
      counts: async () => ({
        items: items.size,
        answered: answers.size,
        failed: countIn('failed') + [...items.values()].filter((print) => print === '').length,
        waiting: countIn('waiting'),
        active: countIn('active'),
        delayed: countIn('delayed'),
        lastMinute: answers.size,
        workers: 0,
      }),
      setRate: async (perMinute) => void this.log.push(`rate ${perMinute ?? 'none'}`),
      pause: async (milliseconds) => void this.log.push(`pause ${milliseconds}`),
      work: (concurrency, _onError, run) => this.#work(concurrency, run),
      remove: async () => void (header = undefined),
    };
  }

  /** Lets delayed jobs wait again. */
  retryDelayed(): void {
    this.#move('delayed', 'waiting');
  }

  #inState(state: State): MemoryJob[] {
    return [...this.jobs.values()].filter((job) => job.state === state);
  }

  #move(from: State, to: State): number {
    const found = this.#inState(from);
    for (const job of found) job.state = to;
    return found.length;
  }

  /** Runs waiting jobs, at most `concurrency` at once. */
  #work(concurrency: number, run: (job: QueueJob) => Promise<JobOutcome>) {
    const running = new Set<Promise<void>>();
    const runOne = async (job: MemoryJob) => {
      job.state = 'active';
      job.starts += 1;
      const isLastAttempt = job.made + 1 >= job.attempts;
      const outcome = await run({ item: job.item, starts: job.starts, isLastAttempt });
      if (outcome.state !== 'returned') job.made += 1;
      job.state = stateAfter(outcome, job);
    };
    const timer = setInterval(() => {
      for (const job of this.#inState('waiting').slice(0, concurrency - running.size)) {
        const task = runOne(job).finally(() => running.delete(task));
        running.add(task);
      }
    }, 1);
    return async () => {
      clearInterval(timer);
      while (running.size > 0) await Promise.all(running);
    };
  }
}

function createMemoryQueue() {
  const batches = new Map<string, MemoryBatch>();
  let restored: Promise<void> | undefined;
  const batch = (name: string) => {
    const found = batches.get(name) ?? new MemoryBatch(name);
    batches.set(name, found);
    return found;
  };
  const connection: QueueConnection = {
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
  };
  /** Loses the connection for good. */
  const lose = () => void (restored = new Promise(() => undefined));
  return { batch, connection, lose };
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
  const { env, folder, ...place } = await openBatchPlace(faults);
  const memory = createMemoryQueue();
  const connect = async () => memory.connection;
  const path = (name: string) => join(folder, name);
  const open = (key = env['NATTER_API_KEY'] ?? '') => {
    const device = createMemoryDevice();
    const own = {
      NATTER_RETRIES: '0',
      // The clock of a worker is faster than the network.
      NATTER_CONNECT_TIMEOUT: '0',
      NATTER_FIRST_BYTE_TIMEOUT: '0',
      NATTER_IDLE_TIMEOUT: '0',
      NATTER_CONFIG_DIR: folder,
      NATTER_STATE_DIR: folder,
    };
    const made = createMemoryContext({ environment: { ...env, ...own, NATTER_API_KEY: key } });
    return { ...made, device, context: { ...made.context, device: device.device } };
  };
  return {
    ...place,
    ...memory,
    path,
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
    /** Collects into a file, or standard output. */
    async collect(output: string | undefined, options: Partial<CollectOptions> = {}) {
      const { context, stderr, stdout } = open();
      const file = output === undefined ? {} : { output: path(output) };
      const run = await startRun(context, { color: 'never', input: true, ...file, ...options });
      const failure: unknown = await collectBatch(run, connect).catch((error: unknown) => error);
      return { failure, stderr: stderr(), stdout: stdout() };
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
