// Lines for the debug log: calls, retries, and the start and end of answers.
import type { Client, ReadOptions } from '../client/client.ts';
import type { ChatEvent, RetryScheduled } from '../client/events.ts';
import { Failure } from '../failure.ts';
import type { Run } from '../run.ts';

const inMilliseconds = (duration: number) => `${Math.round(duration)} ms`;

function describeRetry({ retry, retries, delay, cause }: RetryScheduled): string {
  const most = retries === Infinity ? '' : ` of ${retries}`;
  return `retry ${retry}${most} in ${inMilliseconds(delay)}: ${cause.message}`;
}

/** Describes an event `elapsed` milliseconds after the call started; undefined for names and texts. */
function describeEvent(event: ChatEvent, elapsed: number): string | undefined {
  if (event.type === 'retry-scheduled') return describeRetry(event);
  if (event.type === 'answer-started') {
    const request = event.requestId === undefined ? '' : `, request ${event.requestId}`;
    return `attempt ${event.attempt} is answered after ${inMilliseconds(elapsed)}${request}`;
  }
  if (event.type !== 'answer-finished') return undefined;
  const reason = event.finishReason === undefined ? '' : `, ${event.finishReason}`;
  return `the answer is complete after ${inMilliseconds(elapsed)}${reason}`;
}

/** Writes into the debug log. @param address that of an endpoint, masked; `path` is relative to `/v1/` */
export function logClient(
  client: Client,
  { context, presentation, settings }: Run,
  address: (path: string) => string,
): Client {
  const { debugLog: log } = presentation;
  /** Logs the start of a call. @returns its time so far, and what logs its end */
  function begin(method: string, path: string) {
    const start = context.clock.monotonic();
    log(`${method} ${address(path)}, profile ${settings.profile.value}`);
    const elapsed = () => context.clock.monotonic() - start;
    const end = (outcome: string) => log(`${outcome} after ${inMilliseconds(elapsed())}`);
    const fail = (error: unknown): never => {
      end(error instanceof Failure ? `failed (${error.kind})` : 'stopped');
      throw error;
    };
    return { elapsed, end, fail };
  }
  async function read<Result>(
    path: string,
    options: ReadOptions,
    send: (options: ReadOptions) => Promise<Result>,
  ): Promise<Result> {
    const { end, fail } = begin('GET', path);
    const onRetry = (event: RetryScheduled) => {
      log(describeRetry(event));
      options.onRetry?.(event);
    };
    const result = await send({ ...options, onRetry }).catch(fail);
    end('answered');
    return result;
  }
  return {
    ...client,
    async *chat(request, options) {
      const { elapsed, fail } = begin('POST', 'chat/completions');
      try {
        for await (const event of client.chat(request, options)) {
          const line = describeEvent(event, elapsed());
          if (line !== undefined) log(line);
          yield event;
        }
      } catch (error) {
        fail(error);
      }
    },
    listModels: (options = {}) => read('models', options, (passed) => client.listModels(passed)),
    getModel: (id, options = {}) =>
      read(`models/${encodeURIComponent(id)}`, options, (passed) => client.getModel(id, passed)),
  };
}
