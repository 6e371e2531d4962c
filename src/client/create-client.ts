import { Failure } from '../failure.ts';
import { attemptChat } from './chat-attempt.ts';
import type { CallOptions, Client, ClientOptions, ReadOptions } from './client.ts';
import { connectService, type ConnectedService } from './connected-service.ts';
import { completionBody, type CompletionRequest } from './contract.ts';
import { startDeadline } from './http/deadline.ts';
import type { ChatEvent, RetryScheduled } from './events.ts';
import { parseModelList, parseModelRecord } from './models/model-list.ts';
import { requestJson } from './models/model-request.ts';
import { scheduleRetry, waitForRetry } from './retry/retry.ts';
import { createService } from './service.ts';

/**
 * A client of one service. Sends nothing before its first call; keeps connections open between calls.
 * @throws Failure `configuration` for options no request can be made with
 */
export function createClient(options: ClientOptions): Client {
  const service = connectService(createService(options), options.transport);
  return {
    chat: (request, callOptions) => chat(service, request, callOptions),
    listModels: async (readOptions) => parseModelList(await read(service, 'models', readOptions)),
    async getModel(id, readOptions) {
      // As a path these would mean the list of models, or its parent.
      if (/^\.{0,2}$/.test(id)) throw new Failure('not_found', `there is no model "${id}"`);
      const value = await read(service, `models/${encodeURIComponent(id)}`, readOptions);
      return parseModelRecord(value, id);
    },
    close: () => service.route.close(),
  };
}

async function* chat(
  service: ConnectedService,
  completion: CompletionRequest,
  options: CallOptions = {},
): AsyncGenerator<ChatEvent, void> {
  const { clock } = service.limits;
  const start = clock.monotonic();
  const deadline = startDeadline(clock, service.totalTimeout, options.signal);
  const { signal } = deadline;
  const request = service.request('chat/completions', completionBody(completion));
  try {
    for (let number = 1; ; number += 1) {
      let retry: RetryScheduled;
      try {
        yield* attemptChat({ service, request, signal, number, start });
        return;
      } catch (error) {
        options.signal?.throwIfAborted();
        retry = scheduleRetry(error, number, { ...service, clock, signal });
      }
      yield retry;
      await waitForRetry(retry, { ...service, clock, signal });
    }
  } finally {
    deadline.end();
  }
}

async function read(
  service: ConnectedService,
  path: string,
  options: ReadOptions = {},
): Promise<unknown> {
  const { clock } = service.limits;
  const deadline = startDeadline(clock, service.totalTimeout, options.signal);
  const { signal } = deadline;
  try {
    for (let number = 1; ; number += 1) {
      let retry: RetryScheduled;
      try {
        return await requestJson(path, service, signal);
      } catch (error) {
        options.signal?.throwIfAborted();
        retry = scheduleRetry(error, number, { ...service, clock, signal });
      }
      options.onRetry?.(retry);
      await waitForRetry(retry, { ...service, clock, signal });
    }
  } finally {
    deadline.end();
  }
}
