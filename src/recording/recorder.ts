import type { HttpRequest, HttpResponse, Transport } from '../client/http/transport.ts';
import type { Clock } from '../clock.ts';
import type { SecretFilter } from '../secrecy/secret-filter.ts';
import { describeRequest, type ResponseEvent } from './format.ts';
import type { RecordingFile } from './recording-file.ts';
import { createExchangeWriter, type ExchangeWriter } from './exchange-writer.ts';

export interface RecorderOptions {
  readonly file: RecordingFile;
  readonly clock: Clock;
  /** For the secrets known so far; undefined while there are none. */
  readonly filter: () => SecretFilter | undefined;
  /** Called once, if the file cannot be written; requests continue. */
  readonly onFailure: (error: unknown) => void;
}

async function* recordBody(
  body: AsyncIterable<Uint8Array>,
  exchange: ExchangeWriter,
): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const bytes of body) {
      exchange.bytes(bytes);
      yield bytes;
    }
    exchange.end();
  } catch (error) {
    exchange.failed(error);
    throw error;
  } finally {
    exchange.stopped();
  }
}

function recordResponse(response: HttpResponse, exchange: ExchangeWriter): HttpResponse {
  let isRead = false;
  return {
    ...response,
    body: {
      [Symbol.asyncIterator]() {
        isRead = true;
        return recordBody(response.body, exchange);
      },
    },
    destroy(reason) {
      // The reader of a body gets the reason as an error, which is recorded.
      if (!isRead) exchange.stopped();
      response.destroy(reason);
    },
  };
}

interface EventWriter {
  /** The number of a new exchange; undefined if it cannot be recorded. @throws the signal's reason */
  begin(request: HttpRequest, signal: AbortSignal): Promise<number | undefined>;
  write(number: number | undefined, event: ResponseEvent, at: number): void;
}

/** Writes until the first failure, which is reported once: a failed recording must not fail an answer. */
function createEventWriter({ file, clock, filter, onFailure }: RecorderOptions): EventWriter {
  let isBroken = false;
  const fail = (error: unknown) => {
    if (!isBroken) onFailure(error);
    isBroken = true;
  };

  async function begin(request: HttpRequest, signal: AbortSignal): Promise<number | undefined> {
    if (isBroken) return undefined;
    const date = clock.date().toISOString();
    try {
      const event = { type: 'request', date, ...describeRequest(request, filter()?.mask) } as const;
      return await file.begin(event, signal);
    } catch (error) {
      signal.throwIfAborted();
      fail(error);
      return undefined;
    }
  }

  function write(number: number | undefined, event: ResponseEvent, at: number): void {
    if (number === undefined || isBroken) return;
    try {
      file.append(number, at, event);
    } catch (error) {
      fail(error);
    }
  }

  return { begin, write };
}

/** Records the exchanges of a transport, without secrets. */
export function createRecorder(options: RecorderOptions): (network: Transport) => Transport {
  const { clock, filter } = options;
  const writer = createEventWriter(options);
  return (network) => async (request, signal) => {
    signal.throwIfAborted();
    const number = await writer.begin(request, signal);
    const exchange = createExchangeWriter({
      clock,
      filter: filter(),
      write: (event, at) => writer.write(number, event, at),
    });
    try {
      const response = await network(request, signal);
      exchange.response(response, request.url);
      return recordResponse(response, exchange);
    } catch (error) {
      exchange.failed(error);
      throw error;
    }
  };
}
