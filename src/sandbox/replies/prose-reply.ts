import type { ReceivedPrompt, Reply } from './reply.ts';

// At most six letters: each piece below is one token of the sandbox's counter.
const words =
  'a about again all and any as at before below both but by can come day deep each early even far few find first for from give good grow half hand here high hold how in into it its keep know large last late lead left less light like line long look made many more most move much near new next night no now of old on one open or other out over own part plain read rest river road rock round same sea seem short side slow small so some sound stand still stone such take than that the them then there thing this time to toward tree turn two under up upon very walk was water way well were what when where which while wide wind with word work year'.split(
    ' ',
  );

/** Mulberry32. Whole numbers from 0 to below `limit`. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

function* endlessTokens(seed: number): Generator<string, void, undefined> {
  const random = createRandom(seed);
  const word = (): string => words[random(words.length)] ?? 'sand';
  for (;;) {
    const sentences = 3 + random(4);
    for (let sentence = 0; sentence < sentences; sentence += 1) {
      const first = word();
      yield `${sentence === 0 ? '' : ' '}${first.slice(0, 1).toUpperCase()}${first.slice(1)}`;
      for (let left = 4 + random(12); left > 0; left -= 1) yield ` ${word()}`;
      yield '.';
    }
    yield '\n\n';
  }
}

function* prose({ tokens, seed = 1 }: ReceivedPrompt, defaultLength: number) {
  let left = tokens ?? defaultLength;
  for (const token of endlessTokens(seed)) {
    yield token;
    left -= 1;
    if (left === 0) return;
  }
}

export const proseReply: Reply = (received) => prose(received, 200);

export const millionReply: Reply = (received) => prose(received, 1_000_000);
