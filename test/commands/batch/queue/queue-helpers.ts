import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { collectBatch } from '../../../../src/commands/batch/queue/collect-run.ts';
import type {
  CollectOptions,
  SubmitOptions,
  WorkOptions,
} from '../../../../src/commands/batch/queue/open-queue.ts';
import { submitBatch } from '../../../../src/commands/batch/queue/submit-run.ts';
import { workBatch } from '../../../../src/commands/batch/queue/work-run.ts';
import type { FaultRule } from '../../../../src/sandbox/faults/fault-rules.ts';
import { sandboxKey } from '../../../../src/sandbox/keys.ts';
import { startSandbox } from '../../../../src/sandbox/server.ts';
import { rule } from '../../../sandbox/sandbox-helpers.ts';
import { parseResults } from '../../../support/batch.ts';
import { createMemoryContext } from '../../../support/memory-context.ts';
import { createMemoryDevice } from '../../../support/memory-device.ts';
import { createMemoryQueue } from '../../../support/memory-queue.ts';

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
  const folder = mkdtempSync(join(tmpdir(), 'natter-queue-'));
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
      await submitBatch(context, { ...submitDefaults, ...options }, path(file), connect);
      return stderr();
    },
    /** A running worker, whose clock moves until it ends or `freeze` is called. */
    work(options: Partial<WorkOptions> & { readonly key?: string } = {}) {
      const { key, ...rest } = options;
      const { context, clock, stderr, device, abort } = open(key);
      const ended = workBatch(context, { ...common, ...rest }, connect);
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
      const failure: unknown = await collectBatch(context, options, connect).catch(
        (error: unknown) => error,
      );
      return { failure, stderr: stderr() };
    },
    /** @returns standard error */
    async collect(output: string | undefined, options: Partial<CollectOptions> = {}) {
      const { context, stderr, stdout } = open();
      const file = output === undefined ? {} : { output: path(output) };
      await collectBatch(context, { color: 'never', input: true, ...file, ...options }, connect);
      return { stderr: stderr(), stdout: stdout() };
    },
  };
}
