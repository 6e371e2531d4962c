import { describe, expect, test } from 'vitest';
import { latencyFigures } from '../../../../src/commands/batch/report/figures-text.ts';
import { seededRandom } from '../../../conversation/journal-fixtures.ts';

describe('latencies', () => {
  test('have no figures without a duration', () => {
    expect(latencyFigures([])).toBeNull();
  });

  test('of one answer are that answer', () => {
    expect(latencyFigures([137])).toEqual({
      count: 1,
      min: 137,
      mean: 137,
      max: 137,
      p50: 137,
      p90: 137,
      p99: 137,
      buckets: [{ up_to: 200, count: 1 }],
    });
  });

  test('are counted in buckets of 1, 2 and 5 times a power of ten, without gaps', () => {
    expect(latencyFigures([0, 1, 1.5, 20, 20.1])?.buckets).toEqual([
      { up_to: 1, count: 2 },
      { up_to: 2, count: 1 },
      { up_to: 5, count: 0 },
      { up_to: 10, count: 0 },
      { up_to: 20, count: 1 },
      { up_to: 50, count: 1 },
    ]);
  });

  test('have exact percentiles', () => {
    const random = seededRandom(1);
    const durations = Array.from({ length: 5000 }, () => 1 + 10 ** (5 * random()));
    const sorted = durations.toSorted((one, other) => one - other);
    const figures = latencyFigures(durations);
    for (const [part, found = 0] of [
      [0.5, figures?.p50],
      [0.9, figures?.p90],
      [0.99, figures?.p99],
    ] as const) {
      const exact = sorted[Math.ceil(part * sorted.length) - 1] ?? 0;
      expect(found).toBe(Math.round(exact));
    }
  });
});
