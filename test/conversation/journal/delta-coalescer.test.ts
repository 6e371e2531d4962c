import { expect, test } from 'vitest';
import { createDeltaCoalescer } from '../../../src/conversation/journal/delta-coalescer.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const text = (turn: string, part: string) => ({ type: 'text', turn, text: part }) as const;
const refusal = (turn: string, part: string) => ({ type: 'refusal', turn, text: part }) as const;

function openCoalescer() {
  const clock = createFakeClock();
  const written: object[][] = [];
  const coalescer = createDeltaCoalescer(clock, (...records) => void written.push([...records]));
  return { clock, written, coalescer };
}

test('D1 text is written within half a second, even while more arrives', async () => {
  const { clock, written, coalescer } = openCoalescer();
  for (const word of ['one ', 'two ', 'three ']) {
    coalescer.add(text('a1', word));
    await clock.advance(200);
  }
  expect(written).toEqual([[text('a1', 'one two ')]]);
  await clock.advance(500);
  expect(written).toEqual([[text('a1', 'one two ')], [text('a1', 'three ')]]);
  expect(clock.sleeping()).toBe(0);
});

test('answers that stream at the same time are one record each, in one write', () => {
  const { written, coalescer } = openCoalescer();
  coalescer.add(text('a1', 'on'));
  coalescer.add(text('a2', 'tw'));
  coalescer.add(text('a1', 'e'));
  coalescer.add(refusal('a2', 'no'));
  coalescer.add(text('a2', 'o'));
  coalescer.flush();
  expect(written).toEqual([[text('a1', 'one'), text('a2', 'two'), refusal('a2', 'no')]]);
});

test('256 K characters are written at once', () => {
  const { written, coalescer } = openCoalescer();
  coalescer.add(text('a1', 'x'.repeat(1 << 18)));
  expect(written).toEqual([]);
  coalescer.add(text('a1', 'x'));
  expect(written).toHaveLength(1);
});
