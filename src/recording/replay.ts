import fs from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { Mask } from '../client/failure/error-body.ts';
import { Failure } from '../failure.ts';
import { followSignals } from '../client/http/timer.ts';
import type { Transport } from '../client/http/transport.ts';
import type { Clock } from '../clock.ts';
import { isJsonObject } from '../json.ts';
import { withLock, type LockOptions } from '../storage/lock.ts';
import { errorCode, storageFailure } from '../storage/storage-failure.ts';
import {
  bytesOf,
  describeRequest,
  type RecordedExchange,
  type RecordedRequest,
  type Recording,
  type TimedEvent,
} from './format.ts';

const variable = 'NATTER_REPLAY_USED';

function readIndexes(path: string): ReadonlySet<number> {
  let text = '';
  try {
    text = fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw storageFailure('read', path, error, variable);
  }
  if (/^(\d+\n)*$/.test(text)) return new Set((text.match(/\d+/g) ?? []).map(Number));
  const hint = `set ${variable} to a new file`;
  throw new Failure('configuration', `${path} is not a list of used exchanges`, { hint });
}

/**
 * Keeps the exchanges that this run has used, or all runs with the same file, which has a line for each exchange.
 * @returns a function that adds the index that `choose` returns to the used ones, and returns it. It waits for other
 * processes until `signal` aborts, and throws the error of `choose`.
 */
export function useExchanges(file: string | undefined, options: LockOptions) {
  const own = new Set<number>();
  return async (choose: (used: ReadonlySet<number>) => number, signal?: AbortSignal) => {
    if (file === undefined) {
      const index = choose(own);
      own.add(index);
      return index;
    }
    return withLock(`${file}.lock`, { ...options, ...(signal && { signal }) }, () => {
      const index = choose(readIndexes(file));
      try {
        fs.appendFileSync(file, `${index}\n`, { mode: 0o600 });
      } catch (error) {
        throw storageFailure('write', file, error, variable);
      }
      return index;
    });
  };
}

/** The values in a JSON value that have no parts, in JSON, by their path such as `messages[1].content`. */
function* valuesIn(value: unknown, path = ''): Generator<readonly [string, string], void> {
  const isList = Array.isArray(value);
  const parts = isList || isJsonObject(value) ? Object.entries(value) : [];
  for (const [name, part] of parts) {
    const place = path === '' ? name : `${path}.${name}`;
    yield* valuesIn(part, isList ? `${path}[${name}]` : place);
  }
  if (parts.length === 0 && value !== undefined) yield [path, JSON.stringify(value)];
}

/** The characters that are shown of a long value, around the first difference. */
const shownLength = 40;
const shownBefore = 12;

function show(value = 'missing', other = ''): string {
  if (value.length <= shownLength) return value;
  let different = 0;
  while (different < value.length && value[different] === other[different]) different += 1;
  const start = Math.max(0, different - shownBefore);
  const shown = value.slice(start, start + shownLength);
  return `${start > 0 ? '…' : ''}${shown}${start + shownLength < value.length ? '…' : ''}`;
}

const nameOf = ({ method, path }: RecordedRequest) => `${method} ${path}`;

const isSame = (one: RecordedRequest, other: RecordedRequest) =>
  nameOf(one) === nameOf(other) && isDeepStrictEqual(one.body, other.body);

/** Describes the first difference from the recorded request that has the fewest; the order of fields does not matter. */
function nearest(request: RecordedRequest, candidates: readonly RecordedExchange[]): string {
  const now = new Map(valuesIn(request.body));
  const [found] = candidates
    .map(({ number, request: { body } }) => {
      const before = new Map(valuesIn(body));
      const paths = [...new Set([...now.keys(), ...before.keys()])];
      return { number, before, paths: paths.filter((path) => now.get(path) !== before.get(path)) };
    })
    .toSorted((one, other) => one.paths.length - other.paths.length);
  const [path] = found?.paths ?? [];
  if (found === undefined || path === undefined) return 'the body differs';
  const [value, other] = [now.get(path), found.before.get(path)];
  const difference = `${path === '' ? 'the body' : path} is ${show(value, other)}, but ${show(other, value)} in exchange ${found.number}`;
  return found.paths.length === 1
    ? difference
    : `${difference} (and ${found.paths.length - 1} more)`;
}

function noAnswer(
  request: RecordedRequest,
  { file, exchanges }: Recording,
  used: ReadonlySet<number>,
): Failure {
  const name = nameOf(request);
  const fail = (what: string, why: string) =>
    new Failure('configuration', `${file} has ${what} to ${name}: ${why}`, {
      remedy: { code: 'record-request', file },
    });
  const near = exchanges.filter((exchange) => nameOf(exchange.request) === name);
  const same = near.filter((exchange) => isSame(exchange.request, request));
  if (same.length > 0) {
    const numbers = same.map(({ number }) => number).join(', ');
    return fail('no more answers', `natter has used exchange ${numbers}`);
  }
  // The recorded counterpart is most likely unused.
  const unused = near.filter((exchange) => !used.has(exchanges.indexOf(exchange)));
  if (near.length > 0)
    return fail('no answer', nearest(request, unused.length > 0 ? unused : near));
  const others = new Set(exchanges.map((exchange) => nameOf(exchange.request)));
  const has = others.size === 0 ? 'it has no requests' : `it has only ${[...others].join(', ')}`;
  return fail('no answer', has);
}

/**
 * Takes the first unused exchange of the same request.
 * @throws Failure `configuration` if the recording has none
 */
export async function takeExchange(
  request: RecordedRequest,
  recording: Recording,
  use: ReturnType<typeof useExchanges>,
  signal?: AbortSignal,
): Promise<RecordedExchange> {
  const { exchanges } = recording;
  const found = await use((used) => {
    const next = exchanges.findIndex(
      (exchange, index) => !used.has(index) && isSame(exchange.request, request),
    );
    if (next < 0) throw noAnswer(request, recording, used);
    return next;
  }, signal);
  return exchanges[found] as RecordedExchange;
}

/** Signals and the reader of the output get a turn after so many events. */
const eventsPerTurn = 200;

type ReplayClock = ReturnType<typeof createReplayClock>;

/**
 * Makes the client's clock for a replay, `speed` times as fast as real time. With `Infinity`, nothing waits: the clock
 * shows the recorded times, and a sleep ends when the replay is idle.
 */
export function createReplayClock(clock: Clock, speed: number) {
  const isInstant = speed === Infinity;
  const start = clock.monotonic();
  let now = 0;
  let events = 0;
  const monotonic = () => (isInstant ? now : (clock.monotonic() - start) * speed);
  let difference = clock.date().getTime() - monotonic();
  async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (!isInstant) return clock.sleep(milliseconds / speed, signal);
    const end = now + milliseconds;
    let before: number;
    do {
      before = events;
      await clock.sleep(0, signal);
    } while (events !== before);
    now = Math.max(now, end);
  }
  return {
    monotonic,
    sleep,
    timer(milliseconds: number, action: () => void) {
      if (!isInstant) return clock.timer(milliseconds / speed, action);
      const stopped = new AbortController();
      sleep(milliseconds, stopped.signal).then(action, () => undefined);
      return () => stopped.abort();
    },
    date: () => new Date(monotonic() + difference),
    /** Sets `date`, which continues from there. */
    setDate: (date: Date) => void (difference = date.getTime() - monotonic()),
    /** Resolves when `monotonic` has reached this moment. @throws the signal's reason when it aborts */
    async until(moment: number, signal: AbortSignal): Promise<void> {
      signal.throwIfAborted();
      events += 1;
      const wait = isInstant ? 0 : moment - monotonic();
      if (wait > 0) await sleep(wait, signal);
      else if (isInstant && events % eventsPerTurn === 0) await clock.sleep(0, signal);
      now = Math.max(now, moment);
    },
  };
}

/** The failure of a recording without more events, because natter stopped reading or was killed. */
function stoppedFailure(number: number, when: string): Failure {
  const message = `exchange ${number} of the recording was stopped ${when}`;
  return new Failure('unreachable', message, { transient: false });
}

const failureOf = (event: TimedEvent & { type: 'failure' }) =>
  new Failure(event.kind, event.message, event);

/**
 * Responds from a recording, at the pace of the clock. Rejects with a Failure `configuration` if it cannot.
 * @param mask masks secrets, as in the recording
 */
export function createReplay(
  recording: Recording,
  use: ReturnType<typeof useExchanges>,
  clock: ReplayClock,
  mask: Mask,
): Transport {
  return async (request, signal) => {
    signal.throwIfAborted();
    const start = clock.monotonic();
    const exchange = await takeExchange(describeRequest(request, mask), recording, use, signal);
    if (exchange.date !== undefined) clock.setDate(exchange.date);
    const [head, ...rest] = exchange.events;
    await clock.until(start + (head?.at ?? 0), signal);
    if (head?.type === 'failure') throw failureOf(head);
    if (head?.type !== 'response') throw stoppedFailure(exchange.number, 'before it was answered');
    const { controller: reading, unfollow } = followSignals(signal);
    async function* readBody(): AsyncGenerator<Uint8Array, void> {
      try {
        for (const event of rest) {
          await clock.until(start + event.at, reading.signal);
          if (event.type === 'failure') throw failureOf(event);
          if (event.type === 'end') return;
          if (event.type !== 'bytes') break;
          yield bytesOf(event);
        }
      } finally {
        unfollow();
      }
      throw stoppedFailure(exchange.number, 'before the answer ended');
    }
    return {
      status: head.status,
      headers: head.headers as IncomingHttpHeaders,
      body: readBody(),
      destroy: (reason) => reading.abort(reason),
    };
  };
}
