import { expect, test } from 'vitest';
import { isJsonObject, parseJson } from '../../src/json.ts';
import { createSecretAnswer } from '../../src/recording/secret-answer.ts';
import { createSecretFilter, type SecretFilter } from '../../src/secrecy/secret-filter.ts';
import { fc } from '../support/properties.ts';
import { delta, done, event } from '../support/raw-replies.ts';
import { expectNoSecret, secretForms, secretKey } from '../support/secret.ts';

interface TimedPiece {
  readonly at: number;
  readonly bytes: Uint8Array;
}

function createFilter(): SecretFilter {
  const filter = createSecretFilter([secretKey], 8);
  if (filter === undefined) throw new Error('there is a secret');
  return filter;
}

/** The pieces that each call returns, the last one by `end`. */
function run(
  pieces: readonly string[],
  filter = createFilter(),
): readonly (readonly TimedPiece[])[] {
  const answer = createSecretAnswer<TimedPiece>(filter);
  const taken = pieces.map((text, at) => answer.take({ at, bytes: Buffer.from(text) }));
  return [...taken, answer.end()];
}

const textOf = (pieces: readonly TimedPiece[]) =>
  Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();

/** The texts of a stream's deltas, joined. */
function spelledOut(stream: string): string {
  return stream
    .split('\n')
    .map((line) => parseJson(line.replace('data: ', '')))
    .map((value) => {
      const choices: unknown = isJsonObject(value) ? value['choices'] : [];
      const [choice]: unknown[] = Array.isArray(choices) ? choices : [];
      const fields = isJsonObject(choice) ? choice['delta'] : {};
      const content = isJsonObject(fields) ? fields['content'] : undefined;
      return typeof content === 'string' ? content : '';
    })
    .join('');
}

test('X2: masks a key that a service spreads over several events', () => {
  const text = fc
    .array(fc.oneof(fc.constantFrom(...secretForms), fc.string({ maxLength: 6 })), { maxLength: 5 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 9 }), (whole, size) => {
      const deltas = whole.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? [];
      const recorded = textOf(run([...deltas.map(delta), done]).flat());
      expectNoSecret(spelledOut(recorded));
      expect(recorded.endsWith(done)).toBe(true);
    }),
  );
});

test('X2: keeps the events and times of an answer without a key', () => {
  const pieces = ['one nk-', ' two', ' three nk-4/Z'].map(delta);
  const recorded = run([...pieces, done]);
  expect(recorded.map(textOf)).toEqual(
    [pieces[0], pieces[1], '', pieces[2], done]
      .slice(0, 2)
      .concat(['', '', (pieces[2] ?? '') + done]),
  );
  expect(recorded.flat().map(({ at }) => at)).toEqual([0, 1, 2, 3]);
});

test('X2: changes only the events with a part of the key', () => {
  const before = 'data: { "choices": [ {"delta": {"content": "a"}} ] }\n\n';
  const recorded = run([before, delta('my nk-4/Zx9+Q'), delta('w7==TopSecret.'), done]);
  expect(textOf(recorded.flat())).toBe(before + delta('my ***') + delta('.') + done);
});

test('X2: separates the texts of different fields', () => {
  const both = (content: string, reasoning: string) =>
    event({ choices: [{ delta: { content, reasoning_content: reasoning } }] });
  const stream = textOf(run([both('nk-4/Zx9', 'hm'), both(' no ', '+Qw7==TopSecret')]).flat());
  expect(stream).toBe(both('nk-4/Zx9', 'hm') + both(' no ', '+Qw7==TopSecret'));
});

test('X2: masks an answer in the same way, wherever its pieces end', () => {
  const deltas = [
    'one ',
    `two ${secretKey}`,
    ' three',
    'nk-4/Zx9',
    '+Qw7==',
    'TopSecret four',
    '.',
  ];
  const stream = [...deltas.map(delta), done].join('');
  const masked = textOf(run([stream]).flat());
  expect(spelledOut(masked)).toBe('one two *** three*** four.');
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), (size) => {
      const pieces = stream.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
      expect(textOf(run(pieces).flat())).toBe(masked);
    }),
  );
});

test('X2: returns pieces that end within a line while the answer arrives', () => {
  const stream = Array.from({ length: 50 }, (_, index) => delta(`word ${index} `)).join('');
  const pieces = stream.match(/.{1,150}/gs) ?? [];
  const recorded = run(pieces);
  expect(Math.max(...recorded.map((ready) => ready.length))).toBeLessThanOrEqual(2);
  expect(recorded.flat().map(({ at }) => at)).toEqual(pieces.map((_, at) => at));
});

test.each<[string, (count: number) => readonly string[]]>([
  [
    'pieces end within a line',
    (count) =>
      Array.from({ length: count }, () => delta('word '))
        .join('')
        .match(/.{1,97}/gs) ?? [],
  ],
  [
    'each text ends with the start of a secret',
    (count) => Array.from({ length: count }, () => delta(' nk-4/Z')),
  ],
  ['the whole answer is one piece', (count) => [delta(`${secretKey} `).repeat(count)]],
  [
    'one text waits for its next part',
    (count) => [
      event({ choices: [{ delta: { content: 'nk-4/Z' } }] }),
      ...Array.from({ length: count }, () => event({ choices: [{ delta: { reasoning: 'hm ' } }] })),
    ],
  ],
])('X2: reads each character a few times only if %s', (_, piecesOf) => {
  const filter = createFilter();
  let characters = 0;
  const counting: SecretFilter = {
    ...filter,
    search() {
      const search = filter.search();
      const read = search.read.bind(search);
      search.read = (text) => {
        characters += text.length;
        return read(text);
      };
      return search;
    },
  };
  const pieces = piecesOf(500);
  run(pieces, counting);
  expect(characters).toBeGreaterThan(0);
  expect(characters).toBeLessThan(2 * pieces.join('').length);
});
