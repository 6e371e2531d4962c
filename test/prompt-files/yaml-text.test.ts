import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { yamlText } from '../../src/prompt-files/write-markdown.ts';
import { fc } from '../support/properties.ts';

const marks = ['\n', ' ', '\t', '#', ': ', '- ', '|', '---', 'no', 'null', '~', '1e3', '<<', '"'];
const piece = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...marks, '\u2028', 'k'.repeat(2000)),
);
const text = fc.oneof(
  piece,
  fc.array(piece).map((pieces) => pieces.join('')),
  fc.array(fc.constantFrom('word', '', ' a', 'é:', 'b ')).map((lines) => lines.join('\n')),
);

test('a value written as YAML is the same when it is read', () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(value, (original) => {
      expect(parse(yamlText({ params: original }))).toEqual({ params: original });
    }),
  );
});
