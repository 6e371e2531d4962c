import type { Clock } from '../../clock.ts';
import type { Route } from './route.ts';
import type { Transport } from './transport.ts';

/** Milliseconds; 0 and `Infinity` switch a limit off. */
export interface ExchangeLimits {
  readonly clock: Clock;
  /** Name lookup, connection and TLS together. */
  readonly connectTimeout: number;
  /** From sending the request to the headers of the response. */
  readonly firstByteTimeout: number;
}

/** Milliseconds to wait for the body's end after the reader has finished, so that the connection can be reused. */
export const lingerTime = 50;

/** The connections of a client to one service, kept open between requests. */
export interface Network {
  readonly send: Transport;
  /**
   * Begins to connect for the next POST to `url`. Never fails: if the connection is lost, the request connects again
   * and reports its own failure.
   */
  readonly connectEarly?: (url: URL) => void;
  /** Closes the connections, those that are being opened too. */
  close(): void;
}

/** `nodeNetwork` starts sooner, `undiciNetwork` uses less CPU per request (docs/decisions/0001-http-transport.md). */
export type OpenNetwork = (route: Route, limits: ExchangeLimits) => Network;
