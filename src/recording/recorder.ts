import type { HttpRequest, HttpResponse, Transport } from '../client/http/transport.ts';
import type { Clock } from '../clock.ts';
import type { SecretFilter } from '../secrecy/secret-filter.ts';
import { describeRequest, type LaterEvent } from './format.ts';
import type { RecordingFile } from './recording-file.ts';
import { createExchangeWriter, type ExchangeWriter } from './exchange-writer.ts';

export interface RecorderOptions {
  readonly file: RecordingFile;
  readonly clock: Clock;
  /** For the secrets known so far; undefined while there are none. */
  readonly filter: () => SecretFilter | undefined;
  /** Called once, when the file can no longer be written; requests continue. */
  readonly onFailure: (error: unknown) => void;
}

async function* recordBody(
  body: AsyncIterable<Uint8Array>,
  tape: ExchangeWriter,
): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const bytes of body) {
      tape.bytes(bytes);
      yield bytes;
    }
    tape.end();
  } catch (error) {
    tape.failed(error);
    throw error;
  } finally {
    tape.stopped();
  }
}

function recordResponse(response: HttpResponse, tape: ExchangeWriter): HttpResponse {
  let isRead = false;
  return {
    ...response,
    body: {
      [Symbol.asyncIterator]() {
        isRead = true;
        return recordBody(response.body, tape);
      },
    },
    destroy(reason) {
      // A reader of the body gets the reason and reports it.
      if (!isRead) tape.stopped();
      response.destroy(reason);
    },
  };
}

interface Writer {
  /** The number of a new exchange; undefined where it cannot be recorded. @throws the signal's reason */
  begin(request: HttpRequest, signal: AbortSignal): Promise<number | undefined>;
  write(exchange: number | undefined, event: LaterEvent, at: number): void;
}

/** Writes until the first failure, which is reported once; a failed recording must not fail an answer. */
function createWriter({ file, clock, filter, onFailure }: RecorderOptions): Writer {
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

  function write(exchange: number | undefined, event: LaterEvent, at: number): void {
    if (exchange === undefined || isBroken) return;
    try {
      file.append(exchange, at, event);
    } catch (error) {
      fail(error);
    }
  }

  return { begin, write };
}

/** Records the requests and responses of a transport, without secrets. */
export function createRecorder(options: RecorderOptions): (network: Transport) => Transport {
  const { clock, filter } = options;
  const writer = createWriter(options);
  return (network) => async (request, signal) => {
    signal.throwIfAborted();
    const exchange = await writer.begin(request, signal);
    const tape = createExchangeWriter({
      clock,
      filter: filter(),
      write: (event, at) => writer.write(exchange, event, at),
    });
    try {
      const response = await network(request, signal);
      tape.response(response, request.url);
      return recordResponse(response, tape);
    } catch (error) {
      tape.failed(error);
      throw error;
    }
  };
}
