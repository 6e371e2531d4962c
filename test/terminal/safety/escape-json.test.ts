import { expect, test } from 'vitest';
import { escapeJson, sanitize } from '../../../src/terminal/safety/sanitizer.ts';
import { hostileCorpus } from '../hostile-corpus.ts';
import { fc } from '../../support/properties.ts';

test.each(hostileCorpus)('T16 T18 shows safely and parses back to: $name', ({ input }) => {
  const json = escapeJson(JSON.stringify({ [input]: input }));
  expect(sanitize(json.replaceAll('🏴', ''))).toBe(json.replaceAll('🏴', ''));
  expect(JSON.parse(json)).toEqual({ [input]: input });
});

test('T16 parses back to any value', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(JSON.parse(escapeJson(JSON.stringify(text)))).toBe(text);
    }),
  );
});

test.each([
  ['\u009B', String.raw`"\u009b"`],
  ['\u007F', String.raw`"\u007f"`],
  ['\u202E', String.raw`"\u202e"`],
  ['\u{E0041}', String.raw`"\udb40\udc41"`],
  ['日 😀', '"日 😀"'],
])('T16 writes %j as %s', (text, json) => {
  expect(escapeJson(JSON.stringify(text))).toBe(json);
});
