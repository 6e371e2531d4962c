import { describe, expect, test } from 'vitest';
import { LimitController } from '../../../src/batch/limits/limit-controller.ts';
import {
  fixedWindow,
  places,
  simulate,
  type Simulation,
  refusing,
  slidingWindow,
  tokenBucket,
} from './simulated-service.ts';

const seeds = [3, 77, 991, 12_345, 424_242];

/** Each combination of one value of every list. */
function combine<Values extends object>(lists: {
  readonly [Name in keyof Values]: readonly Values[Name][];
}): readonly Values[] {
  const entries = Object.entries<readonly unknown[]>(lists);
  return entries.reduce<readonly object[]>(
    (found, [name, values]) =>
      found.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  ) as readonly Values[];
}

/** Expects at least `least` of the speed of an ideal client, which needs `idealTime`, with each seed. */
function expectIdeal(
  simulation: (seed: number) => Simulation,
  idealTime: number,
  mostRefused = 0.05,
  least = 0.9,
) {
  for (const seed of seeds) {
    const { items, latency, network = 0 } = simulation(seed);
    const { time, steadyShare, answered } = simulate({ ...simulation(seed), seed });
    expect(answered).toBe(items);
    expect((idealTime + latency + 2 * network) / time).toBeGreaterThanOrEqual(least);
    expect(steadyShare).toBeLessThanOrEqual(mostRefused);
  }
}

describe('16 places', () => {
  test.each(combine({ most: [16, 64], retryAfter: [0, 1000], latency: [30, 300, 1000] }))(
    'X13: are used with $most asked, Retry-After $retryAfter, answers in $latency ms',
    (use) => {
      const items = Math.round((16 * 20_000) / (use.latency + 2));
      expectIdeal(() => ({ limit: places(16), items, ...use }), 20_000);
    },
  );
});

const withHeaders = { retryAfter: [0, 1000, 2000], hasHeaders: [false, true] };

describe('50 requests a second', () => {
  const limits = {
    'in a sliding window': () => slidingWindow(50, 1000),
    'in fixed windows': () => fixedWindow(50, 1000),
    'in a token bucket': () => tokenBucket(50, 50),
  };
  describe.each(Object.entries(limits))('are sent %s', (_, limit) => {
    test.each(combine({ latency: [20, 250], ...withHeaders }))(
      'answers in $latency ms, Retry-After $retryAfter, headers $hasHeaders',
      (use) => {
        expectIdeal(() => ({ limit: limit(), items: 1000, most: 64, ...use }), 20_000);
      },
    );
  });
});

test.each([
  ['a sliding window', () => slidingWindow(50, 1000)],
  ['a token bucket', () => tokenBucket(50, 50)],
])('limits that %s announces in headers cause few refusals', (_, limit) => {
  const refusals = (hasHeaders: boolean) =>
    seeds.reduce((sum, seed) => {
      const use = { items: 500, most: 64, latency: 20, hasHeaders, seed };
      return sum + simulate({ limit: limit(), ...use }).refused;
    }, 0);
  expect(refusals(true)).toBeLessThan(refusals(false) / 2);
});

describe('one request a second with a Retry-After of a minute', () => {
  test.each(combine({ most: [4, 16, 64], latency: [20, 900, 2500], hasHeaders: [false, true] }))(
    'is sent with $most asked, answers in $latency ms, headers $hasHeaders',
    (use) => {
      const simulation = { items: 120, retryAfter: 60_000, ...use };
      expectIdeal(() => ({ limit: slidingWindow(1, 1000), ...simulation }), 120_000);
    },
  );
});

describe('short runs on a busy machine, as in npm run bench:limits', () => {
  const busy = { most: 64, latency: 500, stalls: { every: 60, length: 6 } };

  test.each([0, 1000])('16 places, Retry-After %d', (retryAfter) => {
    const use = { ...busy, items: 480, retryAfter };
    expectIdeal(() => ({ limit: places(16), ...use }), 15_000);
  });

  test.each(combine(withHeaders))(
    '50 a second, Retry-After $retryAfter, headers $hasHeaders',
    (use) => {
      const simulation = { ...busy, items: 600, ...use };
      expectIdeal(() => ({ limit: slidingWindow(50, 1000), ...simulation }), 11_980);
    },
  );

  test('one a second, Retry-After 60', () => {
    const simulation = { ...busy, items: 120, retryAfter: 60_000 };
    expectIdeal(() => ({ limit: slidingWindow(1, 1000), ...simulation }), 119_000);
  });
});

describe('other limits', () => {
  test('3,000 requests a minute are found from the first minute', () => {
    const use = { items: 12_000, most: 64, latency: 100 };
    expectIdeal(() => ({ limit: slidingWindow(3000, 60_000), ...use }), 240_000);
  });

  test('ten requests in ten seconds are found', () => {
    const use = { items: 200, most: 16, latency: 50 };
    expectIdeal(() => ({ limit: slidingWindow(10, 10_000), ...use }), 200_000, 0.08);
  });

  test('a service without limits gets all requests that the user allows', () => {
    const limit = () => slidingWindow(Infinity, 1000);
    expectIdeal(() => ({ limit: limit(), items: 6400, most: 64, latency: 100 }), 10_200);
  });
});

describe('a network of 50 to 150 ms', () => {
  const far = { most: 64, network: 100, latency: 250 };

  test.each([300, 1000])('16 places, answers in %d ms', (latency) => {
    const items = Math.round((16 * 20_000) / (latency + 2 * far.network));
    expectIdeal(() => ({ ...far, limit: places(16), items, latency }), 20_000, 0.2, 0.85);
  });

  const rates = combine({ retryAfter: [0, 2000], hasHeaders: [false, true] });
  test.each(rates)('50 a second, Retry-After $retryAfter, headers $hasHeaders', (use) => {
    const simulation = { ...far, items: 1000, ...use };
    expectIdeal(() => ({ limit: slidingWindow(50, 1000), ...simulation }), 20_000, 0.05, 0.85);
  });

  const slow = combine({ most: [4, 64], latency: [20, 900, 2500] });
  test.each(slow)('one a second, $most asked, answers in $latency ms', (use) => {
    const simulation = { ...far, items: 120, retryAfter: 60_000, ...use };
    expectIdeal(() => ({ limit: slidingWindow(1, 1000), ...simulation }), 120_000, 0.05, 0.85);
  });

  test('5% refused by chance', () => {
    const items = Math.round((16 * 20_000) / (50 + 2 * far.network));
    const use = { ...far, items, most: 16, latency: 50 };
    expectIdeal((seed) => ({ ...use, limit: refusing(0.05, seed) }), 20_000, 0.1, 0.85);
  });
});

describe('a service that refuses requests by chance', () => {
  const cases = combine({ share: [0.01, 0.05], latency: [50, 300], most: [16, 64] });
  test.each(cases)('is not slowed down for: $share, answers in $latency ms, $most asked', (use) => {
    const { share, latency, most } = use;
    const items = Math.round((most * 20_000) / (latency + 2));
    const limit = (seed: number) => refusing(share, seed);
    expectIdeal((seed) => ({ limit: limit(seed), items, latency, most }), 20_000, 0.1, 0.85);
  });
});

test.each([
  [60_000, 30],
  [1000, 80],
  [0, 40],
])(
  'a service that refuses everything gets few requests in a minute (Retry-After %d)',
  (retryAfter, most) => {
    const controller = new LimitController(64);
    let sent = 0;
    for (let now = 0; now < 60_000; now += 10) {
      if (controller.delay(now) > 0) continue;
      sent += 1;
      controller.refuse(controller.begin(now), now + 5, retryAfter);
    }
    expect(sent).toBeLessThanOrEqual(most);
  },
);

test('the found limits are those of the service', () => {
  const paced = simulate({ limit: slidingWindow(50, 1000), items: 1000, most: 64, latency: 50 });
  expect(paced.found.perSecond).toBeGreaterThan(48);
  expect(paced.found.perSecond).toBeLessThan(54);
  const placed = simulate({ limit: places(16), items: 2000, most: 64, latency: 100 });
  expect(placed.found).toEqual({ places: 16, perSecond: undefined });
});
