import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { groupLines, parseGroupLimits } from '../../../src/commands/chat/every-run.ts';
import { Failure } from '../../../src/failure.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

/** Input that the test writes; `reads` counts the pieces that were taken. */
function createInput() {
  const pieces: Uint8Array[] = [];
  let wake: () => void = () => undefined;
  let ended = false;
  const input = {
    reads: 0,
    write(text: string | Uint8Array) {
      pieces.push(Buffer.from(text));
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    async *bytes() {
      for (;;) {
        const piece = pieces.shift();
        if (piece !== undefined) {
          input.reads += 1;
          yield piece;
        } else if (ended) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
  return input;
}

function start(every: string, lossy = false) {
  const input = createInput();
  const clock = createFakeClock();
  const full: (readonly number[])[] = [];
  const limits = parseGroupLimits(every);
  const onFull = (...waiting: readonly number[]) => void full.push(waiting);
  const groups = groupLines(input.bytes(), { limits, clock, onFull, lossy });
  return { input, clock, full, groups };
}

const allOf = async <Value>(values: AsyncIterable<Value>): Promise<readonly Value[]> => {
  const found: Value[] = [];
  for await (const value of values) found.push(value);
  return found;
};

/** The texts of the groups of this input. */
async function groupsOf(every: string, ...pieces: readonly (string | Uint8Array)[]) {
  const { input, groups } = start(every);
  for (const piece of pieces) input.write(piece);
  input.end();
  return (await allOf(groups)).map(({ text }) => text);
}

test('a group is complete after its number of lines, and the end of input sends the rest', async () => {
  const { input, groups } = start('2l');
  input.write('1\n2\n3\n4\n5');
  input.end();
  const [first, ...others] = await allOf(groups);
  expect(first).toEqual({ text: '1\n2\n', firstLine: 1, lastLine: 2 });
  expect(others).toMatchObject([{ text: '3\n4\n' }, { text: '5', firstLine: 5, lastLine: 5 }]);
});

test('a group is complete after its time, counted from its first line', async () => {
  const { input, clock, groups } = start('10l,30s');
  await clock.advance(60_000);
  const next = groups.next();
  input.write('1\n');
  await tick();
  await clock.advance(20_000);
  input.write('2\n');
  await tick();
  await clock.advance(10_000);
  expect(await next).toMatchObject({ value: { text: '1\n2\n' } });
  const rest = groups.next();
  input.write('3\n');
  await tick();
  await clock.advance(29_999);
  input.write('4\n');
  await tick();
  await clock.advance(1);
  expect(await rest).toMatchObject({ value: { text: '3\n4\n', firstLine: 3, lastLine: 4 } });
});

test('a line that is not complete waits for its end', async () => {
  const { input, clock, groups } = start('1s');
  const next = groups.next();
  input.write('1\nhal');
  await tick();
  await clock.advance(1000);
  expect(await next).toMatchObject({ value: { text: '1\n' } });
  input.write('f\n');
  input.end();
  expect(await allOf(groups)).toEqual([{ text: 'half\n', firstLine: 2, lastLine: 2 }]);
});

test('a group is complete before it is larger than its size', async () => {
  const line = `${'x'.repeat(399)}\n`;
  expect(await groupsOf('1kb', line.repeat(5))).toEqual([line.repeat(2), line.repeat(2), line]);
});

test('a line that is larger than a group is cut at its size in bytes, and stays one line', async () => {
  const { input, groups } = start('1kb');
  input.write(`a\n${'€'.repeat(700)}\nb\n`);
  input.end();
  expect(await allOf(groups)).toEqual([
    { text: 'a\n', firstLine: 1, lastLine: 1 },
    { text: '€'.repeat(333), firstLine: 2, lastLine: 2 },
    { text: '€'.repeat(333), firstLine: 2, lastLine: 2 },
    { text: `${'€'.repeat(34)}\nb\n`, firstLine: 2, lastLine: 3 },
  ]);
});

test('a character is never divided between pieces, nor by the cut of a long line', async () => {
  const bytes = Buffer.from('a€b\n');
  expect(await groupsOf('1l', bytes.subarray(0, 2), bytes.subarray(2))).toEqual(['a€b\n']);
  const long = `${'x'.repeat(999_999)}😀${'y'.repeat(10)}\n`;
  const [first = '', ...rest] = await groupsOf('1l', long);
  expect(first).toHaveLength(999_999);
  expect(rest).toEqual([`😀${'y'.repeat(10)}\n`]);
});

test('a long line that arrives in many pieces is read in linear time', async () => {
  const piece = 'x'.repeat(100_000);
  const pieces = Array.from({ length: 5 }, () => piece);
  const texts = await groupsOf('2l', `a\n${piece}`, ...pieces, '\nb\n');
  expect(texts).toEqual([`a\n${piece.repeat(6)}\n`, 'b\n']);
});

test('input whose groups a timer closes is held back, too', async () => {
  const { input, clock, groups, full } = start('1s');
  const first = groups.next();
  for (let line = 1; line <= 20; line += 1) {
    input.write(`${line}\n`);
    await tick();
    await clock.advance(1000);
  }
  await first;
  expect(input.reads).toBeLessThan(14);
  expect(full).toHaveLength(1);
  input.end();
  expect((await allOf(groups)).at(-1)).toMatchObject({ lastLine: 20 });
});

test('input that arrives faster than it is taken is held back, with a report', async () => {
  const { input, groups, full } = start('1l');
  for (let line = 1; line <= 20; line += 1) input.write(`${line}\n`);
  expect(await groups.next()).toMatchObject({ value: { text: '1\n' } });
  await tick();
  const before = input.reads;
  await tick();
  expect(input.reads).toBe(before);
  expect(before).toBeLessThan(12);
  expect(full).toEqual([[8, 8]]);
  input.end();
  expect((await allOf(groups)).map(({ lastLine }) => lastLine)).toEqual(
    Array.from({ length: 19 }, (_, index) => index + 2),
  );
});

test('leaving early ends the timer of the group in progress, and reports no pause', async () => {
  const { input, clock, full, groups } = start('2l,30s');
  input.write('a\nb\nc\n');
  expect(await groups.next()).toMatchObject({ value: { text: 'a\nb\n' } });
  await tick();
  expect(clock.sleeping()).toBe(1);
  await groups.return();
  input.end();
  await tick();
  expect(clock.sleeping()).toBe(0);
  expect(full).toEqual([]);
});

test('bytes that are not text fail after the groups before them', async () => {
  const { input, groups } = start('1l');
  input.write('1\n');
  input.write(Buffer.from([0x32, 0xff, 0x0a]));
  expect(await groups.next()).toMatchObject({ value: { text: '1\n' } });
  await expect(groups.next()).rejects.toThrow(Failure);
});

test('--lossy replaces bytes that are not text', async () => {
  const { input, groups } = start('1l', true);
  input.write(Buffer.from([0x32, 0xff, 0x0a]));
  input.end();
  expect(await allOf(groups)).toMatchObject([{ text: '2\uFFFD\n' }]);
});

const none = { lines: Infinity, milliseconds: Infinity, bytes: 1_000_000 };

test.each([
  ['200l', { ...none, lines: 200 }],
  ['1 line'.replace(' ', ''), { ...none, lines: 1 }],
  ['30s', { ...none, milliseconds: 30_000 }],
  ['1.5m', { ...none, milliseconds: 90_000 }],
  ['64KB', { ...none, bytes: 64_000 }],
  ['1mb', none],
  ['200l, 30s,64kb', { lines: 200, milliseconds: 30_000, bytes: 64_000 }],
])('%s is a limit of groups', (text, expected) => {
  expect(parseGroupLimits(text)).toEqual(expected);
});

test.each(['', '200', '0l', '0s', '2mb', '-1l', '10x', '200l,,30s'])('%j is refused', (text) => {
  expect(() => parseGroupLimits(text)).toThrow(Failure);
  expect(() => parseGroupLimits(text)).toThrow(/^--every must be lines, a time or a size/);
});
