import type { Clock } from '../../clock.ts';
import type { Route } from './route.ts';

/** Header names and values of every request; names in lower case. */
export type RequestHeaders = Readonly<Record<string, string>>;

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: RequestHeaders;
  readonly body?: Uint8Array;
  /** The base URL named no API, and natter added `/v1`. */
  readonly isPathGuessed?: boolean;
}

/** Headers as Node parses them, names in lower case. Declared here, so that the published types need no others. */
export interface ResponseHeaders {
  readonly 'content-type'?: string | undefined;
  readonly location?: string | undefined;
  readonly 'retry-after'?: string | undefined;
  readonly [name: string]: string | string[] | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /**
   * Decoded, and read from the network only as fast as it is iterated; must be iterated or `destroy`ed. Throws a
   * transient Failure when the connection ends before the body does, or the reason given to `destroy`.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Closes the connection; a reader of `body` gets `reason`. */
  destroy(reason: Error): void;
}

/**
 * Sends a request and resolves with the head of its response, for every status. Rejects with a Failure when
 * there is no response, or with the signal's reason when it aborts, which also ends a body that is being read.
 */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

/** Milliseconds; 0 and `Infinity` switch a limit off. */
export interface ExchangeLimits {
  /** Name lookup, connection and TLS together. */
  readonly connectTimeout: number;
  /** The time from the request, before its connection, to the headers of the response. */
  readonly firstByteTimeout: number;
}

/**
 * Opens the connections of a client to one service, which stay open between requests. `nodeNetwork` starts sooner,
 * `undiciNetwork` uses less CPU per request (docs/decisions/0001-http-transport.md).
 */
export type OpenNetwork = (
  route: Route,
  limits: ExchangeLimits,
  clock: Clock,
) => {
  readonly send: Transport;
  /** Closes the connections, those that are being opened too. */
  close(): void;
};
