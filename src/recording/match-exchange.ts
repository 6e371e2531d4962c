import fs from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../failure.ts';
import { isJsonObject } from '../json.ts';
import { withLock, type LockOptions } from '../storage/lock.ts';
import { errorCode, storageFailure } from '../storage/storage-failure.ts';
import type { RecordedRequest, RecordedExchange, Recording } from './format.ts';

/**
 * Adds the index that `choose` returns to the used ones, and returns it. Waits for other processes until `signal` aborts.
 * Throws the error of `choose`.
 */
export type UseExchange = (
  choose: (used: ReadonlySet<number>) => number,
  signal?: AbortSignal,
) => Promise<number>;

/** Keeps the exchanges that one run of natter has used. */
export function createUsedExchanges(): UseExchange {
  const used = new Set<number>();
  return async (choose) => {
    const index = choose(used);
    used.add(index);
    return index;
  };
}

const variable = 'NATTER_REPLAY_USED';

function readIndexes(path: string): ReadonlySet<number> {
  let text = '';
  try {
    text = fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw storageFailure('read', path, error, variable);
  }
  if (/^(\d+\n)*$/.test(text)) return new Set((text.match(/\d+/g) ?? []).map(Number));
  throw new Failure('configuration', `${path} is not a list of used exchanges`, {
    hint: `set ${variable} to a new file`,
  });
}

/** Keeps the exchanges that all runs with the same file have used. The file has a line for each exchange. */
export function keepUsedExchanges(path: string, options: LockOptions): UseExchange {
  return (choose, signal) =>
    withLock(`${path}.lock`, { ...options, ...(signal && { signal }) }, () => {
      const index = choose(readIndexes(path));
      try {
        fs.appendFileSync(path, `${index}\n`, { mode: 0o600 });
      } catch (error) {
        throw storageFailure('write', path, error, variable);
      }
      return index;
    });
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

/**
 * Describes the differences of two JSON values, in the order of the second one; the order of fields does not matter.
 * @param where the recorded exchange, such as `exchange 3`
 */
export function differencesOf(recorded: unknown, actual: unknown, where: string) {
  const before = new Map(valuesIn(recorded));
  const now = new Map(valuesIn(actual));
  return [...new Set([...now.keys(), ...before.keys()])]
    .map((path) => ({ path, value: now.get(path), other: before.get(path) }))
    .filter(({ value, other }) => value !== other)
    .map(({ path, value, other }) => {
      const what = path === '' ? 'the body' : path;
      return `${what} is ${show(value, other)}, but ${show(other, value)} in ${where}`;
    });
}

const nameOf = ({ method, path }: RecordedRequest) => `${method} ${path}`;

const isSame = (one: RecordedRequest, other: RecordedRequest) =>
  nameOf(one) === nameOf(other) && isDeepStrictEqual(one.body, other.body);

/** Describes the first difference from the recorded request that has the fewest. */
function nearest(request: RecordedRequest, candidates: readonly RecordedExchange[]): string {
  const [[first = 'the body differs', ...others] = []] = candidates
    .map(({ number, request: { body } }) => differencesOf(body, request.body, `exchange ${number}`))
    .toSorted((one, other) => one.length - other.length);
  return others.length === 0 ? first : `${first} (and ${others.length} more)`;
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
  use: UseExchange,
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
