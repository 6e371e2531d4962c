import { attemptPrompt } from './chat-attempt.ts';
import type { ChatOptions, Client, ClientOptions, Throttle } from './client.ts';
import { configure, type Connection } from './configuration.ts';
import { completionBody, type CompletionRequest } from './contract.ts';
import type { ChatEvent, RetryScheduled } from './events.ts';
import { RequestFailure } from './failure/request-failure.ts';
import { startDeadline } from './http/timer.ts';
import { type RetryPolicy, scheduleRetry, waitForRetry } from './retry.ts';
import { getModel, listModels } from './models/read-models.ts';

const completionsPath = 'chat/completions';

/**
 * Sends nothing before its first call; keeps connections open between calls.
 * @throws Failure `configuration` for invalid options
 */
export function createClient(options: ClientOptions): Client {
  const configuration = configure(options);
  const network = options.network(configuration.route, configuration.limits);
  const send = options.transport?.(network.send) ?? network.send;
  const service: Connection = { ...configuration, send };
  return {
    chat: (request, callOptions) => chat(service, request, callOptions),
    // Loaded on demand, because prompts need no models.
    listModels: async (readOptions) => listModels(service, readOptions),
    getModel: async (id, readOptions) => getModel(service, id, readOptions),
    close: () => network.close(),
  };
}

async function* chat(
  service: Connection,
  completion: CompletionRequest,
  { signal: caller, throttle, hurry }: ChatOptions = {},
): AsyncGenerator<ChatEvent, void> {
  const { clock } = service.limits;
  const start = clock.monotonic();
  const deadline = startDeadline(clock, service.totalTimeout, caller);
  const { signal } = deadline;
  const request = service.request(completionsPath, completionBody(completion));
  const prompt = { service, request, signal, throttle, start };
  try {
    for (let attempt = 1; ; attempt += 1) {
      let retry: RetryScheduled;
      try {
        if (throttle !== undefined) await throttle.beforeRequest();
        yield* attemptPrompt(prompt, attempt);
        return;
      } catch (error) {
        caller?.throwIfAborted();
        const policy = throttledPolicy(error, service.policy, throttle);
        retry = scheduleRetry(error, attempt, { ...service, policy, clock, signal });
      }
      yield retry;
      await waitForRetry(retry, { clock, signal }, hurry);
    }
  } finally {
    deadline.end();
  }
}

/** The caller, not the client, retries after a refusal. */
function throttledPolicy(
  error: unknown,
  policy: RetryPolicy,
  throttle: Throttle | undefined,
): RetryPolicy {
  if (throttle === undefined || !(error instanceof RequestFailure)) return policy;
  if (error.kind !== 'rate_limited' || !error.transient) return policy;
  throttle.onRefusal(error.retryAfterMilliseconds);
  return { ...policy, retries: 0 };
}
