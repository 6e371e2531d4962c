import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../failure.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { RecordedRequest } from './format.ts';
import type { RecordedExchange, Recording } from './read-recording.ts';
import type { ConsumedExchanges } from './consumed-exchanges.ts';

/** One place where two JSON values differ; a side that lacks it has undefined. */
export interface Difference {
  /** As in `messages[1].content`. */
  readonly place: string;
  readonly recorded: unknown;
  readonly asked: unknown;
}

function differencesOfLists(
  recorded: readonly unknown[],
  asked: readonly unknown[],
  place: string,
): readonly Difference[] {
  const shared = Math.min(recorded.length, asked.length);
  const inside = asked
    .slice(0, shared)
    .flatMap((value, index) => differencesOf(recorded[index], value, `${place}[${index}]`));
  const longer = asked.length > shared ? asked : recorded;
  const beyond = longer.slice(shared).map((_, offset) => {
    const index = shared + offset;
    return { place: `${place}[${index}]`, recorded: recorded[index], asked: asked[index] };
  });
  return [...inside, ...beyond];
}

/** Where two JSON values differ, in the order of the second; the order of fields does not matter. */
export function differencesOf(
  recorded: unknown,
  asked: unknown,
  place = '',
): readonly Difference[] {
  if (Array.isArray(recorded) && Array.isArray(asked)) {
    return differencesOfLists(recorded, asked, place);
  }
  if (isJsonObject(recorded) && isJsonObject(asked)) {
    const names = new Set([...Object.keys(asked), ...Object.keys(recorded)]);
    const own = (object: JsonObject, name: string) =>
      Object.hasOwn(object, name) ? object[name] : undefined;
    return [...names].flatMap((name) =>
      differencesOf(
        own(recorded, name),
        own(asked, name),
        place === '' ? name : `${place}.${name}`,
      ),
    );
  }
  return Object.is(recorded, asked) ? [] : [{ place, recorded, asked }];
}

/** Characters shown of a long text: around the first one that differs. */
const shownLength = 40;
const shownBefore = 12;

function shorten(text: string, from: number): string {
  const isLong = text.length > shownLength;
  const start = isLong && from > shownBefore ? from - shownBefore : 0;
  const end = Math.min(text.length, start + shownLength);
  const shown = JSON.stringify(text.slice(start, end)).slice(1, -1);
  return `"${start > 0 ? '…' : ''}${shown}${end < text.length ? '…' : ''}"`;
}

function firstDifferent(one: string, other: string): number {
  let index = 0;
  while (index < one.length && one[index] === other[index]) index += 1;
  return index;
}

/** How much of two values differs, from 0 up to 1: of texts, what is neither their common beginning nor end. */
function distance({ recorded, asked }: Difference): number {
  if (typeof recorded !== 'string' || typeof asked !== 'string') return 1;
  const longer = Math.max(recorded.length, asked.length);
  const begin = firstDifferent(recorded, asked);
  const shorter = Math.min(recorded.length, asked.length);
  let end = 0;
  while (end < shorter - begin && recorded.at(-1 - end) === asked.at(-1 - end)) end += 1;
  return 1 - (begin + end) / longer;
}

/** How far apart two values are that have these differences. */
function distanceOf(differences: readonly Difference[]): number {
  return differences.reduce((sum, difference) => sum + distance(difference), 0);
}

function show(value: unknown, other: unknown): string {
  if (typeof value === 'string') {
    return shorten(value, typeof other === 'string' ? firstDifferent(value, other) : 0);
  }
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}

/** `where` names the recorded exchange, such as `exchange 3`. */
export function describeDifference({ place, recorded, asked }: Difference, where: string): string {
  const what = place === '' ? 'the body' : place;
  if (recorded === undefined)
    return `${what} is ${show(asked, recorded)}, which ${where} does not have`;
  if (asked === undefined)
    return `${what} is missing, which is ${show(recorded, asked)} in ${where}`;
  return `${what} is ${show(asked, recorded)}, but ${show(recorded, asked)} in ${where}`;
}

/** Uses each recorded exchange once, in order. */
export interface ExchangeMatcher {
  /** @throws Failure `configuration` when the recording has no, or no further, answer to the request */
  take(request: RecordedRequest, signal?: AbortSignal): Promise<RecordedExchange>;
}

const nameOf = ({ method, path }: RecordedRequest) => `${method} ${path}`;

const isSame = (one: RecordedRequest, other: RecordedRequest) =>
  nameOf(one) === nameOf(other) && isDeepStrictEqual(one.body, other.body);

function numbersOf(exchanges: readonly RecordedExchange[]): string {
  const [first, ...others] = exchanges.map(({ number }) => String(number));
  const last = others.pop();
  if (last === undefined) return `exchange ${first}, which was used`;
  return `exchanges ${[first, ...others].join(', ')} and ${last}, which were used`;
}

/** How the most similar recorded request of the same path differs. */
function nearest(request: RecordedRequest, candidates: readonly RecordedExchange[]): string {
  const compared = candidates.map(({ number, request: recorded }) => {
    const differences = differencesOf(recorded.body, request.body);
    return { number, differences, distance: distanceOf(differences) };
  });
  const [found] = compared.sort((one, other) => one.distance - other.distance);
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
  const place = nameOf(request);
  const near = exchanges.filter((exchange) => nameOf(exchange.request) === place);
  // The request most likely corresponds to an unused one.
  const unused = near.filter((exchange) => !used.has(exchanges.indexOf(exchange)));
  if (near.length > 0) return nearest(request, unused.length > 0 ? unused : near);
  const others = new Set(exchanges.map((exchange) => nameOf(exchange.request)));
  return others.size === 0 ? 'it holds no request' : `it holds only ${[...others].join(', ')}`;
}

function noAnswer(
  request: RecordedRequest,
  recording: Recording,
  used: ReadonlySet<number>,
): Failure {
  const { file, exchanges } = recording;
  const same = exchanges.filter((exchange) => isSame(exchange.request, request));
  const message =
    same.length > 0
      ? `${file} has no further answer to ${nameOf(request)}: it was recorded in ${numbersOf(same)}`
      : `${file} has no answer to ${nameOf(request)}: ${reasonOf(request, recording, used)}`;
  return new Failure('configuration', message, {
    remedy: { code: 'record-request', file },
  });
}

/** Exchanges in `used` are not used again. */
export function createExchangeMatcher(
  recording: Recording,
  used: ConsumedExchanges,
): ExchangeMatcher {
  const { exchanges } = recording;
  return {
    async take(request, signal) {
      const place = await used.add((places) => {
        const found = exchanges.findIndex(
          (exchange, index) => !places.has(index) && isSame(exchange.request, request),
        );
        if (found < 0) throw noAnswer(request, recording, places);
        return found;
      }, signal);
      return exchanges[place] as RecordedExchange;
    },
  };
}
