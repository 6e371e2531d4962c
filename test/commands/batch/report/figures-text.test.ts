import { describe, expect, test } from 'vitest';
import { latencyFigures, latencyText } from '../../../../src/commands/batch/report/figures-text.ts';
import type { BarLayout } from '../../../../src/output/table.ts';
import { plainStyle } from '../../../../src/terminal/style.ts';
import { displayWidth } from '../../../../src/terminal/text/width.ts';
import { seededRandom } from '../../../conversation/journal-fixtures.ts';

const layout: BarLayout = { isTerminal: true, width: 80, style: plainStyle, unicode: true };

const fourBuckets = {
  count: 1804,
  min: 20,
  mean: 900,
  p50: 180,
  p90: 2400,
  p99: 61_000,
  max: 400_000,
  buckets: [
    { up_to: 200, count: 1200 },
    { up_to: 500, count: 0 },
    { up_to: 1000, count: 600 },
    { up_to: 500_000, count: 4 },
  ],
};

describe('the histogram', () => {
  test('has a bar for each bucket, and percentiles', () => {
    expect(latencyText(fourBuckets, layout).split('\n')).toEqual([
      '    time  answers',
      '≤ 200 ms    1,200  ██████████████████████████████',
      '≤ 500 ms        0',
      '   ≤ 1 s      600  ███████████████',
      ' ≤ 8 min        4  ▏',
      'p50 180 ms, p90 2.4 s, p99 61 s, max 7 min',
      '',
    ]);
  });

  test('is ASCII where the locale is not UTF-8', () => {
    const text = latencyText(fourBuckets, { ...layout, unicode: false });
    expect(text).toMatch(/^[\n -~]+$/);
    expect(text).toContain('<= 8 min        4  #\n');
  });

  test.each([40, 20])('fits %d columns', (width) => {
    const lines = latencyText(fourBuckets, { ...layout, width }).split('\n');
    for (const line of lines.slice(0, -2)) expect(displayWidth(line)).toBeLessThanOrEqual(width);
  });
});

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
