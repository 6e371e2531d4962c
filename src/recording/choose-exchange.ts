import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../failure.ts';
import { describeDifference, differencesOf, distanceOf } from './differences.ts';
import type { RecordedRequest } from './format.ts';
import type { RecordedExchange, Recording } from './read-recording.ts';

/** Gives each recorded exchange to the request it answers, once, in order. */
export interface ExchangeChoice {
  /** @throws Failure `configuration` when the recording has no, or no further, answer to the request */
  take(request: RecordedRequest): RecordedExchange;
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

/** What the nearest recorded request of the same address has otherwise. */
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
  used: ReadonlySet<RecordedExchange>,
): string {
  const same = exchanges.filter((exchange) => isSame(exchange.request, request));
  if (same.length > 0) return `it was recorded in ${numbersOf(same)}`;
  const place = nameOf(request);
  const near = exchanges.filter((exchange) => nameOf(exchange.request) === place);
  // An unused one is what the request most likely was to be.
  const unused = near.filter((exchange) => !used.has(exchange));
  if (near.length > 0) return nearest(request, unused.length > 0 ? unused : near);
  const others = new Set(exchanges.map((exchange) => nameOf(exchange.request)));
  return others.size === 0 ? 'it holds no request' : `it holds only ${[...others].join(', ')}`;
}

export function createExchangeChoice(recording: Recording): ExchangeChoice {
  const used = new Set<RecordedExchange>();
  const { file, exchanges } = recording;
  return {
    take(request) {
      const found = exchanges.find(
        (exchange) => !used.has(exchange) && isSame(exchange.request, request),
      );
      if (found !== undefined) {
        used.add(found);
        return found;
      }
      const reason = reasonOf(request, recording, used);
      const further = exchanges.some((exchange) => isSame(exchange.request, request))
        ? 'no further'
        : 'no';
      throw new Failure(
        'configuration',
        `${file} has ${further} answer to ${nameOf(request)}: ${reason}`,
        { hint: `make the request as it was recorded, or add this one with --record ${file}` },
      );
    },
  };
}
