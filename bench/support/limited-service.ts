// A service with a limit, in a separate process.
import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface Scenario {
  readonly name: string;
  readonly kind: 'places' | 'rate';
  /** Requests at the same time, or a second. */
  readonly limit: number;
  /** Seconds; undefined sends no Retry-After. */
  readonly retryAfter?: number;
  readonly hasHeaders?: boolean;
  readonly concurrency: number;
  readonly items: number;
}

/** Milliseconds of an answer. */
export const latency = 500;

const answer = JSON.stringify({
  id: 'chatcmpl-1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
});

export interface Counts {
  readonly sent: number;
  readonly refused: number;
  /** Refused after a third of the items was answered, as a part of the requests sent then. */
  readonly steadyShare: number;
  /** Milliseconds from the first request to the last answer. */
  readonly time: number;
  /** Milliseconds by which other programs delayed one in a hundred timers of the service. */
  readonly delay: number;
}

/** Admits `limit` requests at the same time, or in any period of a second. */
function createLimit({ kind, limit, hasHeaders }: Scenario) {
  let open = 0;
  let times: number[] = [];
  return {
    admits(now: number): boolean {
      times = times.filter((time) => time > now - 1000);
      const isAllowed = kind === 'places' ? open < limit : times.length < limit;
      if (isAllowed) times.push(now);
      if (isAllowed) open += 1;
      return isAllowed;
    },
    ends: () => void (open -= 1),
    headers(now: number): OutgoingHttpHeaders {
      if (hasHeaders !== true) return {};
      return {
        'x-ratelimit-limit-requests': limit,
        'x-ratelimit-remaining-requests': limit - times.length,
        'x-ratelimit-reset-requests': `${Math.ceil(1000 + (times[0] ?? now) - now)}ms`,
      };
    },
  };
}

/** Milliseconds. */
const resolution = 10;

function createCounts(items: number) {
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  const counts = { sent: 0, refused: 0, answered: 0, lateSent: 0, lateRefused: 0 };
  let [first, last] = [Number.NaN, Number.NaN];
  return {
    request(now: number, isAdmitted: boolean): void {
      if (Number.isNaN(first)) first = now;
      const late = counts.answered > items / 3 ? 1 : 0;
      counts.sent += 1;
      counts.lateSent += late;
      if (isAdmitted) return;
      counts.refused += 1;
      counts.lateRefused += late;
    },
    answer(now: number): void {
      counts.answered += 1;
      last = now;
    },
    result(): Counts {
      const { sent, refused, lateSent, lateRefused } = counts;
      return {
        sent,
        refused,
        steadyShare: lateRefused / Math.max(1, lateSent),
        time: last - first,
        delay: delays.percentile(99) / 1e6 - resolution,
      };
    },
  };
}

const refusal = '{"error":{"message":"too many requests"}}';

function send(
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string,
): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
  response.end(body);
}

export async function serve(scenario: Scenario): Promise<void> {
  const { retryAfter, items } = scenario;
  const limit = createLimit(scenario);
  const counts = createCounts(items);
  const wait: OutgoingHttpHeaders =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  const respond = (response: ServerResponse): void => {
    const now = performance.now();
    const isAdmitted = limit.admits(now);
    counts.request(now, isAdmitted);
    if (!isAdmitted) {
      send(response, 429, { ...limit.headers(now), ...wait }, refusal);
      return;
    }
    setTimeout(() => {
      limit.ends();
      const end = performance.now();
      counts.answer(end);
      send(response, 200, limit.headers(end), answer);
    }, latency);
  };
  const server = createServer((incoming, response) => {
    incoming.resume();
    incoming.on('end', () => respond(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.on('message', () => process.send?.(counts.result()));
  process.send?.((server.address() as AddressInfo).port);
}
