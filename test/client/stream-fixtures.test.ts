import { expect, test } from 'vitest';
import {
  endOf,
  readParts,
  type StreamFixture,
  streamFixtures,
  textOf,
} from '../support/stream-fixtures.ts';
import { fc } from '../support/properties.ts';

async function answerOf(fixture: StreamFixture, reads: readonly Uint8Array[]): Promise<string> {
  const { parts, thrown } = await readParts(reads, fixture.contentType);
  if (thrown !== undefined) throw thrown;
  const pieces = parts.flatMap((part) => (part.type === 'text-received' ? part.deltas : []));
  const end = endOf(parts);
  return JSON.stringify({
    text: textOf(parts, 'text'),
    deltas: pieces.join(''),
    halves: pieces.filter((piece) => /\p{Surrogate}/u.test(piece)),
    reasoning: textOf(parts, 'reasoning'),
    refusal: textOf(parts, 'refusal'),
    finishReason: end?.finishReason,
    usage: end?.usage,
    complete: end?.complete,
  });
}

function expected(fixture: StreamFixture): string {
  const { text, finishReason, usage, complete, reasoning = '', refusal = '' } = fixture;
  return JSON.stringify({
    text,
    deltas: text,
    halves: [],
    reasoning,
    refusal,
    finishReason,
    usage,
    complete,
  });
}

function split(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const bounds = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  return bounds.slice(1).map((end, index) => bytes.subarray(bounds[index], end));
}

test.each(streamFixtures)('$name: reads in one piece', async (fixture) => {
  expect(await answerOf(fixture, [fixture.bytes])).toBe(expected(fixture));
});

test.each(streamFixtures)('S3 $name: reads byte by byte', async (fixture) => {
  const reads = split(fixture.bytes, [...fixture.bytes.keys()]);
  expect(await answerOf(fixture, reads)).toBe(expected(fixture));
});

test.each(streamFixtures)('S3 S4 $name: reads in two pieces, cut anywhere', async (fixture) => {
  const answer = expected(fixture);
  const failed: number[] = [];
  for (const cut of fixture.bytes.keys()) {
    if ((await answerOf(fixture, split(fixture.bytes, [cut]))) !== answer) failed.push(cut);
  }
  expect(failed).toStrictEqual([]);
});

test.each(streamFixtures)('$name: reads in random pieces', async (fixture) => {
  const cuts = fc.array(fc.nat({ max: fixture.bytes.length }), { maxLength: 12 });
  const answer = expected(fixture);
  await fc.assert(
    fc.asyncProperty(cuts, async (places) => {
      expect(await answerOf(fixture, split(fixture.bytes, places))).toBe(answer);
    }),
    { numRuns: 40 },
  );
});
