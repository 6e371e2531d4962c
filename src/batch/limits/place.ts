import type { AnnouncedLimits } from './announced-limits.ts';

/** The permission to send one request. */
export interface Place {
  /** The service refused the request. @param retryAfter milliseconds; undefined without a Retry-After */
  refuse(retryAfter: number | undefined): void;
  /** The head of a response arrived. */
  announce(limits: AnnouncedLimits): void;
  /** The request ended; without effect after a refusal. */
  release(): void;
}

/** What waits for a place. */
export interface PlaceRequest {
  /** Requests with a lower one are sent first. */
  readonly order: number;
  /** For the rate limit. */
  readonly tokens: number;
  /** Milliseconds until the request may be sent. */
  readonly wait: number;
}
