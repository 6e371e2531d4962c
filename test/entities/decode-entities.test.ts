import { expect, test } from 'vitest';
import { decodeEntities, loadEntities } from '../../src/entities/decode-entities.ts';

test('loads the names once, and only for a text that may have a reference', async () => {
  for (const text of ['', 'plain', 'a && b', 'a & b']) expect(loadEntities(text)).toBeUndefined();
  expect(decodeEntities('&amp;')).toBe('&amp;');
  await loadEntities('the rest follows &');
  expect(decodeEntities('&amp; &CounterClockwiseContourIntegral; &#8211;')).toBe('& ∳ –');
  expect(loadEntities('&amp;')).toBeUndefined();
});
