// Lines for the debug log: calls, retries, and the start and end of answers.
import type { Client, ReadOptions } from '../client/client.ts';
import type { RetryScheduled } from '../client/events.ts';
import { Failure } from '../failure.ts';
import type { Run } from '../run.ts';

const inMilliseconds = (duration: number) => `${Math.round(duration)} ms`;

function describeRetry({ retry, retries, delay, cause }: RetryScheduled): string {
  const most = retries === Infinity ? '' : ` of ${retries}`;
  return `retry ${retry}${most} in ${inMilliseconds(delay)}: ${cause.message}`;
}

/** Writes into the debug log. @param address that of an endpoint, masked; `path` is relative to `/v1/` */
export function logClient(
  client: Client,
  { context, presentation, settings }: Run,
  address: (path: string) => string,
): Client {
  const { debugLog: log } = presentation;
  /** Logs the start of a call. @returns what logs its end, with its time so far */
  function begin(method: string, path: string) {
    const start = context.clock.monotonic();
    log(`${method} ${address(path)}, profile ${settings.profile.value}`);
    const end = (outcome: string, more = '') =>
      log(`${outcome} after ${inMilliseconds(context.clock.monotonic() - start)}${more}`);
    const fail = (error: unknown): never => {
      end(error instanceof Failure ? `failed (${error.kind})` : 'stopped');
      throw error;
    };
    return { end, fail };
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
      const { end, fail } = begin('POST', 'chat/completions');
      try {
        for await (const event of client.chat(request, options)) {
          if (event.type === 'retry-scheduled') log(describeRetry(event));
          if (event.type === 'answer-started') {
            const { attempt, requestId } = event;
            end(`attempt ${attempt} is answered`, requestId && `, request ${requestId}`);
          }
          if (event.type === 'answer-finished') {
            end('the answer is complete', event.finishReason && `, ${event.finishReason}`);
          }
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
