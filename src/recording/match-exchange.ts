import fs from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../failure.ts';
import type { JsonObject } from '../json.ts';
import { withLock, type LockOptions } from '../storage/lock/lock.ts';
import { errorCode, storageFailure } from '../storage/storage-failure.ts';
import type { RecordedRequest } from './format.ts';
import type { RecordedExchange, Recording } from './read-recording.ts';

/** Keeps the indexes of the exchanges that were used. */
export interface ConsumedExchanges {
  /**
   * Adds and returns the index from `choose`, under a lock. Waits for other processes until `signal` aborts.
   * @throws the error of `choose`
   */
  add(choose: (used: ReadonlySet<number>) => number, signal?: AbortSignal): Promise<number>;
}

/** Keeps the exchanges that one run of natter has used. */
export function createConsumedExchanges(): ConsumedExchanges {
  const used = new Set<number>();
  return {
    async add(choose) {
      const index = choose(used);
      used.add(index);
      return index;
    },
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
export function keepConsumedExchanges(path: string, options: LockOptions): ConsumedExchanges {
  return {
    add: (choose, signal) =>
      withLock(`${path}.lock`, { ...options, ...(signal && { signal }) }, () => {
        const index = choose(readIndexes(path));
        try {
          fs.appendFileSync(path, `${index}\n`, { mode: 0o600 });
        } catch (error) {
          throw storageFailure('write', path, error, variable);
        }
        return index;
      }),
  };
}

/** One difference of two JSON values; a missing value is undefined. */
interface Difference {
  /** Such as `messages[1].content`. */
  readonly path: string;
  readonly recorded: unknown;
  readonly actual: unknown;
}

const hasFields = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null;

/** Compares two JSON values. The differences have the order of the second one; the order of fields does not matter. */
export function differencesOf(
  recorded: unknown,
  actual: unknown,
  path = '',
): readonly Difference[] {
  const isList = Array.isArray(actual);
  if (!hasFields(recorded) || !hasFields(actual) || Array.isArray(recorded) !== isList) {
    return Object.is(recorded, actual) ? [] : [{ path, recorded, actual }];
  }
  const own = (object: JsonObject, name: string) =>
    Object.hasOwn(object, name) ? object[name] : undefined;
  const names = new Set([...Object.keys(actual), ...Object.keys(recorded)]);
  return [...names].flatMap((name) => {
    const place = isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    return differencesOf(own(recorded, name), own(actual, name), place);
  });
}

/** The characters that are shown of a long value, around the first difference. */
const shownLength = 40;
const shownBefore = 12;

function show(value: unknown, other: unknown): string {
  const [text = 'missing', otherText = ''] = [value, other].map((one) => JSON.stringify(one));
  if (text.length <= shownLength) return text;
  let different = 0;
  while (different < text.length && text[different] === otherText[different]) different += 1;
  const start = Math.max(0, different - shownBefore);
  const end = start + shownLength;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

/** @param where the recorded exchange, such as `exchange 3` */
export function describeDifference({ path, recorded, actual }: Difference, where: string): string {
  const what = path === '' ? 'the body' : path;
  return `${what} is ${show(actual, recorded)}, but ${show(recorded, actual)} in ${where}`;
}

const nameOf = ({ method, path }: RecordedRequest) => `${method} ${path}`;

const isSame = (one: RecordedRequest, other: RecordedRequest) =>
  nameOf(one) === nameOf(other) && isDeepStrictEqual(one.body, other.body);

/** Describes the first difference from the recorded request that has the fewest. */
function nearest(request: RecordedRequest, candidates: readonly RecordedExchange[]): string {
  const compared = candidates.map(({ number, request: recorded }) => ({
    number,
    differences: differencesOf(recorded.body, request.body),
  }));
  const [found] = compared.sort((one, other) => one.differences.length - other.differences.length);
  const [first, ...others] = found?.differences ?? [];
  if (found === undefined || first === undefined) return '';
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return `${describeDifference(first, `exchange ${found.number}`)}${more}`;
}

function reasonOf(
  request: RecordedRequest,
  { exchanges }: Recording,
  used: ReadonlySet<number>,
): string {
  const name = nameOf(request);
  const near = exchanges.filter((exchange) => nameOf(exchange.request) === name);
  // The recorded counterpart is most likely unused.
  const unused = near.filter((exchange) => !used.has(exchanges.indexOf(exchange)));
  if (near.length > 0) return nearest(request, unused.length > 0 ? unused : near);
  const others = new Set(exchanges.map((exchange) => nameOf(exchange.request)));
  return others.size === 0 ? 'it has no requests' : `it has only ${[...others].join(', ')}`;
}

function noAnswer(
  request: RecordedRequest,
  recording: Recording,
  used: ReadonlySet<number>,
): Failure {
  const { file, exchanges } = recording;
  const same = exchanges.filter((exchange) => isSame(exchange.request, request));
  const numbers = same.map(({ number }) => number).join(', ');
  const message =
    same.length > 0
      ? `${file} has no more answers to ${nameOf(request)}: natter has used exchange ${numbers}`
      : `${file} has no answer to ${nameOf(request)}: ${reasonOf(request, recording, used)}`;
  return new Failure('configuration', message, { remedy: { code: 'record-request', file } });
}

/**
 * Takes the first unused exchange of the same request.
 * @throws Failure `configuration` if the recording has none
 */
export async function takeExchange(
  request: RecordedRequest,
  recording: Recording,
  used: ConsumedExchanges,
  signal?: AbortSignal,
): Promise<RecordedExchange> {
  const { exchanges } = recording;
  const found = await used.add((indexes) => {
    const next = exchanges.findIndex(
      (exchange, index) => !indexes.has(index) && isSame(exchange.request, request),
    );
    if (next < 0) throw noAnswer(request, recording, indexes);
    return next;
  }, signal);
  return exchanges[found] as RecordedExchange;
}
