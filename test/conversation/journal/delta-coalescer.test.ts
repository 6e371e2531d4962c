import { expect, test } from 'vitest';
import { createTextBuffer } from '../../../src/conversation/journal/delta-coalescer.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

test('D1 text is written within half a second, however much follows', async () => {
  const clock = createFakeClock();
  const written: string[] = [];
  const buffer = createTextBuffer(clock, (answer, text) => void written.push(`${answer}: ${text}`));
  for (const word of ['one ', 'two ', 'three ']) {
    buffer.add('a1', word);
    await clock.advance(200);
  }
  expect(written).toEqual(['a1: one two ']);
  await clock.advance(500);
  expect(written).toEqual(['a1: one two ', 'a1: three ']);
  expect(clock.sleeping()).toBe(0);
});
