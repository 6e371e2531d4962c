import type { Mask } from '../client/failure/error-body.ts';
import { maskFailure } from '../client/failure/change-failure.ts';
import { parseUrl } from '../client/http/base-url.ts';
import type { HttpResponse, Transport } from '../client/http/transport.ts';
import type { Clock } from '../clock.ts';
import { Failure } from '../failure.ts';
import { definedFields } from '../json.ts';
import type { SecretFilter } from '../secrets/secret-filter.ts';
import { isSecretHeader } from '../secrets/secret-parts.ts';
import { bytesEvent, describeRequest, type RecordedHeaders, type ResponseEvent } from './format.ts';
import { createMaskedBody } from './masked-body.ts';
import type { openRecordingFile } from './recording-file.ts';

/** These headers describe the transfer of the body, which is recorded decoded. */
const transferHeaders = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'transfer-encoding',
]);

function recordHeaders({ headers }: HttpResponse, url: URL, mask: Mask): RecordedHeaders {
  const recorded: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || transferHeaders.has(name) || isSecretHeader(name)) continue;
    recorded[mask(name)] = typeof value === 'string' ? mask(value) : value.map(mask);
  }
  const target = headers.location === undefined ? undefined : parseUrl(headers.location, url);
  if (target === undefined) return recorded;
  // An absolute address, because a replay has no base URL, without the query, which may have a token.
  const location = mask(`${target.protocol}//${target.host}${target.pathname}`);
  return { ...recorded, location };
}

/** Makes the last event of an exchange. Any error but a Failure is an interruption, or from a reader that stopped. */
function endingOf(error: unknown, mask: Mask): ResponseEvent {
  if (!(error instanceof Failure)) return { type: 'stopped' };
  const { transient = false } = error;
  const { kind, message, hint, remedy } = maskFailure(error, mask);
  return { type: 'failure', kind, message, ...definedFields({ hint, remedy }), transient };
}

/**
 * Records the exchanges of a transport, without secrets. A failed recording does not fail an answer.
 * @param filter for the secrets known so far; undefined while there are none
 * @param onFailure called once, if the file cannot be written; requests continue
 */
export function createRecorder(
  file: Awaited<ReturnType<typeof openRecordingFile>>,
  clock: Clock,
  filter: () => SecretFilter | undefined,
  onFailure: (error: unknown) => void,
): (transport: Transport) => Transport {
  let isBroken = false;

  function fail(error: unknown): void {
    if (!isBroken) onFailure(error);
    isBroken = true;
  }

  return (transport) => async (request, signal) => {
    signal.throwIfAborted();
    const secrets = filter();
    const mask: Mask = secrets?.mask ?? ((text) => text);
    const date = clock.date().toISOString();
    let number: number | undefined;
    try {
      if (!isBroken) {
        const event = { type: 'request', date, ...describeRequest(request, mask) } as const;
        number = await file.begin(event, signal);
      }
    } catch (error) {
      signal.throwIfAborted();
      fail(error);
    }
    const start = clock.monotonic();
    const elapsed = () => Math.round(clock.monotonic() - start);

    function write(event: ResponseEvent, at = elapsed()): void {
      if (number === undefined || isBroken) return;
      try {
        file.append(number, at, event);
      } catch (error) {
        fail(error);
      }
    }

    async function* record(response: HttpResponse): AsyncGenerator<Uint8Array, void> {
      const writeBytes = (bytes: Uint8Array, at: number) => write(bytesEvent(bytes), at);
      const contentType = response.headers['content-type'];
      const masked = secrets && createMaskedBody(secrets, contentType, writeBytes);
      let ending: ResponseEvent = { type: 'stopped' };
      try {
        for await (const bytes of response.body) {
          if (masked === undefined) writeBytes(bytes, elapsed());
          else masked.take(bytes, elapsed());
          yield bytes;
        }
        ending = { type: 'end' };
      } catch (error) {
        ending = endingOf(error, mask);
        throw error;
      } finally {
        masked?.end();
        write(ending);
      }
    }

    const response = await transport(request, signal).catch((error: unknown) => {
      write(endingOf(error, mask));
      throw error;
    });
    const headers = recordHeaders(response, request.url, mask);
    write({ type: 'response', status: response.status, headers });
    let isOpen = true;
    return {
      ...response,
      body: {
        [Symbol.asyncIterator]() {
          isOpen = false;
          return record(response);
        },
      },
      destroy(reason) {
        // The reader of a body gets the reason as an error, which is recorded.
        if (isOpen) write({ type: 'stopped' });
        isOpen = false;
        response.destroy(reason);
      },
    };
  };
}
