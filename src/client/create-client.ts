import { Failure } from '../failure.ts';
import { attemptChat } from './chat-attempt.ts';
import type { ChatOptions, Client, ClientOptions, ReadOptions } from './client.ts';
import { completionBody, type CompletionRequest } from './contract.ts';
import type { ChatEvent, RetryScheduled } from './events.ts';
import type { Network } from './http/network.ts';
import { startDeadline } from './http/timer.ts';
import { parseModelList, parseModelRecord, requestJson } from './models/read-models.ts';
import { scheduleRetry, waitForRetry } from './retry.ts';
import { createService, type ConnectedService, type Service } from './service.ts';
import { throttled, throttledPolicy } from './throttle.ts';

const completionsPath = 'chat/completions';

/**
 * Sends nothing before its first call; keeps connections open between calls.
 * @throws Failure `configuration` for invalid options
 */
export function createClient(options: ClientOptions): Client {
  const service = createService(options);
  const network = options.network(service.route, service.limits);
  if (options.connectEarly === true && options.transport === undefined) {
    network.connectEarly?.(service.request(completionsPath).url);
  }
  const connected = connect(service, network, options.transport);
  return clientOf(connected, network);
}

function clientOf(service: ConnectedService, network: Network): Client {
  return {
    chat: (request, callOptions) => chat(service, request, callOptions),
    listModels: async (readOptions) => parseModelList(await read(service, 'models', readOptions)),
    async getModel(id, readOptions) {
      // In a path, these are the list of models or its parent.
      if (/^\.{0,2}$/.test(id)) throw new Failure('not_found', `there is no model "${id}"`);
      const value = await read(service, `models/${encodeURIComponent(id)}`, readOptions);
      return parseModelRecord(value, id);
    },
    close: () => network.close(),
  };
}

function connect(
  service: Service,
  { send }: Network,
  transport: ClientOptions['transport'],
): ConnectedService {
  return { ...service, send: transport?.(send) ?? send };
}

async function* chat(
  connected: ConnectedService,
  completion: CompletionRequest,
  options: ChatOptions = {},
): AsyncGenerator<ChatEvent, void> {
  const { throttle } = options;
  const service = { ...connected, send: throttled(connected.send, throttle) };
  const { clock } = service.limits;
  const start = clock.monotonic();
  const deadline = startDeadline(clock, service.totalTimeout, options.signal);
  const { signal } = deadline;
  const request = service.request(completionsPath, completionBody(completion));
  try {
    for (let number = 1; ; number += 1) {
      let retry: RetryScheduled;
      try {
        yield* attemptChat({ service, request, signal, number, start });
        return;
      } catch (error) {
        options.signal?.throwIfAborted();
        const policy = throttledPolicy(error, service.policy, throttle);
        retry = scheduleRetry(error, number, { ...service, policy, clock, signal });
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
