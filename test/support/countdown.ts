import { expect } from 'vitest';

/**
 * That a terminal was shown a retry which counts down. Of the seconds any may be missing: what has no time to be drawn
 * is left out.
 */
export function expectCountdown(output: string): void {
  const seconds = [...output.matchAll(/retry 1 of 4 in (\d+) s/g)].map(([, count]) =>
    Number(count),
  );
  expect(seconds).toEqual(seconds.toSorted((one, other) => other - one));
  expect(new Set(seconds).size).toBeGreaterThan(1);
}
