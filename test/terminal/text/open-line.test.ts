import { expect, test } from 'vitest';
import { emptyLine, extendLine } from '../../../src/terminal/region/open-line.ts';
import { displayWidth, graphemes } from '../../../src/terminal/text/width.ts';
import { fc } from '../../support/properties.ts';

/** Text, wide text, and what changes the character before: marks, keycaps, flags, families and trailing jamo. */
const parts = fc.constantFrom(
  'sky ',
  '1',
  '光空',
  'か',
  '\u3099',
  '한',
  '\u11a8',
  'e\u0301',
  '\ufe0f\u20e3',
  '🌤',
  '👩\u200d👧',
  '🇩🇪',
  '\t',
  '›',
);

/** Wraps character by character. */
function rowsOf(text: string, columns: number): readonly string[] {
  const rows = [''];
  let used = 0;
  for (const character of graphemes(text)) {
    // A tab does not wrap.
    const width = character === '\t' ? 0 : displayWidth(character);
    if (width > 0 && used + width > columns) {
      rows.push('');
      used = 0;
    }
    rows.push((rows.pop() ?? '') + character);
    const tab = Math.min((Math.floor(used / 8) + 1) * 8, columns - 1);
    used = character === '\t' ? Math.max(used, tab) : used + width;
  }
  return rows;
}

test('wraps text of any script as if it were added character by character', () => {
  fc.assert(
    fc.property(
      fc.array(parts, { maxLength: 30 }),
      fc.integer({ min: 2, max: 30 }),
      (all, columns) => {
        const text = all.join('');
        const rows = rowsOf(text, columns);
        const line = extendLine(emptyLine, text, columns);
        expect({ row: line.row, rows: line.rows }).toEqual({ row: rows.at(-1), rows: rows.length });
      },
    ),
    { numRuns: 2000 },
  );
});
