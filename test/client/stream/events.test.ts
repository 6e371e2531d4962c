import { expect, test } from 'vitest';
import { fc } from '../../support/properties.ts';
import { readParts, textOf } from '../../support/stream-fixtures.ts';

const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, '\uFFFD');

const contentOf = (data: string): string =>
  (JSON.parse(data) as { choices: { delta: { content: string } }[] }).choices[0]?.delta.content ??
  '';

/** An answer by the rules of event streams (WHATWG HTML, 9.2) and `JSON.parse`. */
function readByReference(stream: Uint8Array) {
  let text = '';
  let data: string[] = [];
  for (const line of new TextDecoder().decode(stream).split(/\r\n|\r|\n/)) {
    const [, name, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === 'data') data.push(value);
    if (line !== '' || data.length === 0) continue;
    const event = data.join('\n');
    data = [];
    if (event.trim() === '[DONE]') break;
    if (event.trim() === '') continue;
    try {
      text += contentOf(event);
    } catch {
      // A high surrogate at the end waits for its partner.
      return { text: wellFormed(text.replace(/[\ud800-\udbff]$/, '')), isMalformed: true };
    }
  }
  return { text: wellFormed(text), isMalformed: false };
}

const json = fc
  .string({ unit: 'binary', maxLength: 6 })
  .map((content) => JSON.stringify({ choices: [{ index: 0, delta: { content } }] }));

const dataLine = fc.tuple(fc.constantFrom('data:', 'data: '), json).map((words) => words.join(''));

const field = fc.oneof(
  { weight: 8, arbitrary: dataLine },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'data',
      'data:',
      'data: ',
      'data:  {"choices":',
      'data: []}',
      ': comment',
      ':\0',
      'event: delta',
      'event:',
      'id: 1',
      'id: \0',
      'retry: 10',
      'Data: x',
      ' data: x',
      'data\0: x',
      'da-ta: x',
      'junk',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('data: [DONE]', 'data:[DONE] ', 'data: \uFEFF{}') },
  { weight: 1, arbitrary: fc.constantFrom('data: \0', '\uFEFFdata: x', 'data:\t\0', 'data: {') },
);

const lineEnd = fc.constantFrom('\n', '\r\n', '\r');

/** Lines, each with its end, and a blank line after most of them. */
const line = fc
  .tuple(field, lineEnd, fc.oneof({ weight: 4, arbitrary: lineEnd }, fc.constant('')))
  .map((words) => words.join(''));

const stream = fc
  .tuple(fc.constantFrom('', '\uFEFF'), fc.array(line, { maxLength: 12 }))
  .map(([mark, lines]) => Buffer.from(`${mark}: start\n${lines.join('')}\n\n`));

function split(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const bounds = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b)];
  return bounds.map((start, index) => bytes.subarray(start, bounds[index + 1] ?? bytes.length));
}

test('S1 S2 S3 S7 S8 S9 S22 S35 F7 reads any stream, split anywhere, as the standard and JSON.parse do', async () => {
  await fc.assert(
    fc.asyncProperty(stream, fc.array(fc.nat(), { maxLength: 8 }), async (bytes, cuts) => {
      const { parts, thrown } = await readParts(split(bytes, cuts));
      const isMalformed = /not a JSON object/.test(String(thrown));
      expect({ text: textOf(parts, 'text'), isMalformed }).toEqual(readByReference(bytes));
    }),
    { numRuns: 1000 },
  );
});
