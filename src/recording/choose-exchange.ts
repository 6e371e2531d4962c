import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../failure.ts';
import { describeDifference, differencesOf, distanceOf } from './differences.ts';
import type { RecordedRequest } from './format.ts';
import type { RecordedExchange, Recording } from './read-recording.ts';
import type { ConsumedExchanges } from './consumed-exchanges.ts';

/** Uses each recorded exchange once, in order. */
export interface ExchangeChoice {
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
export function createExchangeChoice(
  recording: Recording,
  used: ConsumedExchanges,
): ExchangeChoice {
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
