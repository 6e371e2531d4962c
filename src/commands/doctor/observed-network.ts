import type { OpenNetwork } from '../../client/http/transport.ts';
import type { HttpResponse, ResponseHeaders } from '../../client/http/transport.ts';
import type { Clock } from '../../clock.ts';

/** A response as the server sent it. */
export interface ObservedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Local time when its head arrived. */
  readonly arrived: Date;
  /** Milliseconds from the request to its head. */
  readonly delay: number;
  /** The part of the body that was read, at most 256 KB. */
  readonly body: () => string;
}

export interface ObservedNetwork {
  readonly open: OpenNetwork;
  /** The response to the last request; undefined while there is none. */
  readonly last: () => ObservedResponse | undefined;
}

const maxBody = 256 * 1024;

async function* keep(body: HttpResponse['body'], chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    if (size < maxBody) chunks.push(chunk);
    size += chunk.byteLength;
    yield chunk;
  }
}

/** The network that keeps the last response: the client reports what an answer says, not how the server sent it. */
export function observeNetwork(network: OpenNetwork, clock: Clock): ObservedNetwork {
  let last: ObservedResponse | undefined;
  const open: OpenNetwork = (route, limits) => {
    const opened = network(route, limits);
    return {
      ...opened,
      async send(request, signal) {
        last = undefined;
        const start = clock.monotonic();
        const response = await opened.send(request, signal);
        const { status, headers } = response;
        const chunks: Uint8Array[] = [];
        last = {
          status,
          headers,
          arrived: clock.date(),
          delay: clock.monotonic() - start,
          body: () => Buffer.concat(chunks).subarray(0, maxBody).toString(),
        };
        return { ...response, body: keep(response.body, chunks) };
      },
    };
  };
  return { open, last: () => last };
}
