import type { Clock } from '../clock.ts';
import type { Environment } from '../environment.ts';
import type { CompletionRequest, ModelRecord } from './contract.ts';
import type { ChatEvent, RetryScheduled } from './events.ts';
import type { HttpResponse, OpenNetwork, Transport } from './http/transport.ts';

/** Options of a client. Durations are milliseconds of any length; 0 and `Infinity` disable a limit. */
export interface ClientOptions {
  /** The address of the API, such as `https://host/v1beta/openai`, or of its host: then `/v1` is added. */
  readonly baseUrl: string;
  /** The path of the API after the base URL, instead of `/v1`; `/` adds nothing. */
  readonly apiPath?: string | undefined;
  /** Sent as a bearer token; to an address of Azure with an `api-version`, a key is sent as `api-key`. */
  readonly apiKey?: string;
  /** Sent with every request, after natter's own headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly userAgent: string;
  /** Maximum number of retries; default 4; `Infinity` is no limit. */
  readonly retries?: number;
  /** Longest `Retry-After` to wait for; default 60,000; the maximum is a year, also without a limit. */
  readonly retryWaitLimit?: number;
  /** Default 10,000. */
  readonly connectTimeout?: number;
  /** The time from the request, before its connection, to the first byte of the response; default 600,000. */
  readonly firstByteTimeout?: number;
  /** Longest time without content within a response (comments do not count); default 300,000. */
  readonly idleTimeout?: number;
  /** Total time, retries included; default 0 (off). */
  readonly totalTimeout?: number;
  /** Allows a key, or a header that looks like one, over plain http to a host that is not loopback. */
  readonly allowInsecure?: boolean;
  /** Opens the connections to the service. */
  readonly network: OpenNetwork;
  /**
   * Wraps or replaces the transport over the network, which it gets: to record exchanges, or to respond without a service.
   * `connectTimeout` and `firstByteTimeout` apply only to the network; the other limits apply to every transport.
   */
  readonly transport?: (transport: Transport) => Transport;
  readonly environment: Environment;
  readonly clock: Clock;
  /** Returns random numbers like `Math.random`. */
  readonly random: () => number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface ChatOptions extends CallOptions {
  /** Set by a caller that limits the rate of its requests, and waits itself after a 429. */
  readonly throttle?: {
    /** Called before each request, which waits for it. */
    beforeRequest(): Promise<void>;
    /** Gets the head of each response. */
    onResponse(response: Pick<HttpResponse, 'status' | 'headers'>): void;
    /** Called after a 429 that may be sent again. @param retryAfter milliseconds; undefined without a header */
    onRefusal(retryAfter: number | undefined): void;
  };
  /** Called at the start of each wait before a retry, which ends at once when the promise resolves. */
  readonly hurry?: () => Promise<void>;
}

export interface ReadOptions extends CallOptions {
  readonly onRetry?: (event: RetryScheduled) => void;
}

/** @typeParam Options the second argument of `chat` */
export interface Client<Options = ChatOptions> {
  /**
   * Sends one prompt and yields its events, the same for a streamed answer and for one JSON body. Ending the iteration
   * early, or aborting `signal`, closes the request.
   * @throws Failure; or the signal's reason when it aborts.
   */
  chat(request: CompletionRequest, options?: Options): AsyncIterable<ChatEvent>;
  /** @throws Failure */
  listModels(options?: ReadOptions): Promise<readonly ModelRecord[]>;
  /** @throws Failure, kind `not_found` for an id the service does not know */
  getModel(id: string, options?: ReadOptions): Promise<ModelRecord>;
  /** Closes the connections. Requests that run, and later ones, fail with a Failure that says so. */
  close(): void;
}
