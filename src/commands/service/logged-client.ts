import type { Middleware, ReadOptions } from '../../client/client.ts';
import type { ChatEvent } from '../../client/events.ts';
import type { Clock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { describeEnd, describeEvent, describeRetry } from './debug-lines.ts';
import type { DebugLog } from '../print/presentation.ts';

export interface LoggedClientOptions {
  readonly log: DebugLog;
  readonly clock: Clock;
  /** The address of an endpoint, masked; `path` is relative to `/v1/`. */
  readonly address: (path: string) => string;
  readonly profile: string;
}

function describeError(error: unknown): string {
  return error instanceof Failure ? `failed (${error.kind})` : 'stopped';
}

/** Logs the start of a request. @returns a function for the milliseconds since then */
function begin(options: LoggedClientOptions, method: string, path: string): () => number {
  const { log, clock, address, profile } = options;
  const start = clock.monotonic();
  log(`${method} ${address(path)}, profile ${profile}`);
  return () => clock.monotonic() - start;
}

async function* logChat(
  events: AsyncIterable<ChatEvent>,
  options: LoggedClientOptions,
): AsyncGenerator<ChatEvent, void> {
  const { log } = options;
  const elapsed = begin(options, 'POST', 'chat/completions');
  try {
    for await (const event of events) {
      const line = describeEvent(event, elapsed());
      if (line !== undefined) log(line);
      yield event;
    }
  } catch (error) {
    log(describeEnd(describeError(error), elapsed()));
    throw error;
  }
}

async function logRead<Result>(
  path: string,
  readOptions: ReadOptions,
  options: LoggedClientOptions,
  send: (options: ReadOptions) => Promise<Result>,
): Promise<Result> {
  const { log } = options;
  const elapsed = begin(options, 'GET', path);
  const onRetry: ReadOptions['onRetry'] = (event) => {
    log(describeRetry(event));
    readOptions.onRetry?.(event);
  };
  try {
    const result = await send({ ...readOptions, onRetry });
    log(describeEnd('answered', elapsed()));
    return result;
  } catch (error) {
    log(describeEnd(describeError(error), elapsed()));
    throw error;
  }
}

/** Writes lines into the debug log for calls, retries, and the start and end of answers. */
export function logClient(options: LoggedClientOptions): Middleware {
  return (client) => ({
    chat: (request, callOptions) => logChat(client.chat(request, callOptions), options),
    listModels: (readOptions = {}) =>
      logRead('models', readOptions, options, (passed) => client.listModels(passed)),
    getModel: (id, readOptions = {}) =>
      logRead(`models/${encodeURIComponent(id)}`, readOptions, options, (passed) =>
        client.getModel(id, passed),
      ),
    close: () => client.close(),
  });
}
