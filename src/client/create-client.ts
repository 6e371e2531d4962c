import { takeResponse, type TakeEvent } from './chat-attempt.ts';
import type { ChatOptions, Client, ClientOptions } from './client.ts';
import { completionBody, type CompletionRequest } from './contract.ts';
import type { RetryScheduled } from './events.ts';
import { startDeadline } from './http/timer.ts';
import type { Network } from './http/transport.ts';
import { iterateEvents } from './iterate-events.ts';
import { scheduleRetry, waitForRetry } from './retry.ts';
import { createService, type ConnectedService, type Service } from './service.ts';
import { ChunkForms } from './stream/chunk-forms.ts';
import { throttledPolicy } from './throttle.ts';

/** Chunks of a short answer: parsing them takes less time than learning them, which later ones repay. */
const firstChunks = 4;

const completionsPath = 'chat/completions';

/**
 * Sends nothing before its first call; keeps connections open between calls.
 * @throws Failure `configuration` for invalid options
 */
export function createClient(options: ClientOptions): Client {
  const service = createService(options);
  const network = options.network(service.route, service.limits);
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
  return {
    ...service,
    send: transport?.(send) ?? send,
    forms: new ChunkForms(firstChunks),
  };
}

const noOptions: ChatOptions = {};

async function sendPrompt(
  service: ConnectedService,
  completion: CompletionRequest,
  take: TakeEvent,
  { signal: caller, throttle, hurry }: ChatOptions = noOptions,
): Promise<void> {
  const { clock } = service.limits;
  const start = clock.monotonic();
  const deadline = startDeadline(clock, service.totalTimeout, caller);
  const { signal } = deadline;
  const request = service.request(completionsPath, completionBody(completion));
  const prompt = { service, request, signal, throttle, start, take };
  try {
    for (let attempt = 1; ; attempt += 1) {
      let retry: RetryScheduled;
      try {
        const permission = throttle?.beforeRequest();
        if (permission !== undefined) await permission;
        const reading = takeResponse(prompt, attempt, await service.send(request, signal));
        if (reading !== undefined) await reading;
        return;
      } catch (error) {
        caller?.throwIfAborted();
        const policy = throttledPolicy(error, service.policy, throttle);
        retry = scheduleRetry(error, attempt, { ...service, policy, clock, signal });
      }
      await take(retry);
      await waitForRetry(retry, { clock, signal }, hurry);
    }
  } finally {
    deadline.end();
  }
}
