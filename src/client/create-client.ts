import { attemptChat, type TakeEvent } from './chat-attempt.ts';
import type { ChatOptions, Client, ClientOptions } from './client.ts';
import { completionBody, type CompletionRequest } from './contract.ts';
import type { RetryScheduled } from './events.ts';
import type { Network } from './http/network.ts';
import { startDeadline } from './http/timer.ts';
import { iterateEvents } from './iterate-events.ts';
import { scheduleRetry, waitForRetry } from './retry.ts';
import { createService, type ConnectedService, type Service } from './service.ts';
import { ChunkForms } from './stream/chunk-forms.ts';
import { throttledPolicy } from './throttle.ts';

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
    chat: (request, callOptions) =>
      iterateEvents((take) => sendPrompt(service, request, take, callOptions)),
    send: (request, take, callOptions) => sendPrompt(service, request, take, callOptions),
    // Loaded on demand, because prompts need no models.
    listModels: async (readOptions) =>
      (await import('./models/request-models.ts')).listModels(service, readOptions),
    getModel: async (id, readOptions) =>
      (await import('./models/request-models.ts')).getModel(service, id, readOptions),
    close: () => network.close(),
  };
}

function connect(
  service: Service,
  { send }: Network,
  transport: ClientOptions['transport'],
): ConnectedService {
  return { ...service, send: transport?.(send) ?? send, forms: new ChunkForms() };
}

const noOptions: ChatOptions = {};

async function sendPrompt(
  service: ConnectedService,
  completion: CompletionRequest,
  take: TakeEvent,
  options: ChatOptions = noOptions,
): Promise<void> {
  const { throttle } = options;
  const { clock } = service.limits;
  const start = clock.monotonic();
  const deadline = startDeadline(clock, service.totalTimeout, options.signal);
  const { signal } = deadline;
  const request = service.request(completionsPath, completionBody(completion));
  try {
    for (let number = 1; ; number += 1) {
      let retry: RetryScheduled;
      try {
        return await attemptChat({ service, request, signal, throttle, number, start }, take);
      } catch (error) {
        options.signal?.throwIfAborted();
        const policy = throttledPolicy(error, service.policy, throttle);
        retry = scheduleRetry(error, number, { ...service, policy, clock, signal });
      }
      await take(retry);
      await waitForRetry(retry, { clock, signal }, options.hurry);
    }
  } finally {
    deadline.end();
  }
}
