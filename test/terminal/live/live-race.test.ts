import { describe, expect, test } from 'vitest';
import {
  lastLines,
  nothingWritten,
  remember,
  type Written,
} from '../../../src/terminal/live/live-race.ts';
import type { RegionPlace } from '../../../src/terminal/live/live-screen.ts';
import { emptyLine } from '../../../src/terminal/text/open-line.ts';
import { openRegion } from '../../support/region.ts';
import { fc } from '../../support/properties.ts';

/** Rows as wide as the window, which a narrower one wraps. */
const draw = ({ columns }: RegionPlace) => ({
  rows: ['status '.padEnd(columns - 1, '·'), '>', 'footer '.padEnd(columns - 1, '·')],
  caret: { row: 1, column: 2 },
});

async function open(columns: number, rows: number) {
  const opened = openRegion(columns, rows);
  opened.region.render(draw);
  await opened.settle();
  return opened;
}

type Opened = Awaited<ReturnType<typeof open>>;

/** The updates between a resize and its signal, and perhaps the update that draws the new size. */
interface Race {
  readonly columns: number;
  readonly rows: number;
  readonly updates: number;
  readonly again: { readonly columns: number; readonly rows: number } | undefined;
}

async function race({ screen, region, clock, settle }: Opened, step: Race, texts: string[]) {
  const commit = async () => {
    region.commit(texts.shift() ?? '');
    await clock.advance(34);
    await screen.settled();
  };
  await commit();
  await screen.resizeSilently(step.columns, step.rows);
  for (let update = 0; update < step.updates; update += 1) await commit();
  screen.reportSize();
  region.resized();
  await screen.settled();
  region.commit(texts.shift() ?? '');
  if (step.again !== undefined) {
    await screen.resizeSilently(step.again.columns, step.again.rows);
    await clock.advance(101);
    await screen.settled();
    await commit();
    screen.reportSize();
    region.resized();
  }
  await settle();
}

/** Paragraphs of words that occur once, in the pieces of updates. */
function textOf(count: number, lengths: readonly number[]) {
  const paragraphs = Array.from({ length: count }, (_, index) =>
    Array.from({ length: lengths[index % lengths.length] ?? 1 }, (_word, at) => `w${index}.${at}`),
  ).map((words) => words.join(' '));
  return { paragraphs, text: `${paragraphs.join('\n')}\n` };
}

function inPieces(text: string, sizes: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 1) {
    pieces.push(text.slice(at, at + (sizes[pieces.length % sizes.length] ?? 1)));
  }
  return pieces;
}

/** The paragraphs that are not complete, in order. */
function missing(paragraphs: readonly string[], lines: readonly string[]): string[] {
  const shown = lines.join('\n');
  let at = 0;
  return paragraphs.filter((paragraph) => {
    const found = shown.indexOf(paragraph, at);
    if (found !== -1) at = found + paragraph.length;
    return found === -1;
  });
}

const size = { columns: fc.integer({ min: 20, max: 80 }), rows: fc.constant(16) };
const raceStep = fc.record({
  ...size,
  updates: fc.nat(2),
  again: fc.option(fc.record(size), { nil: undefined, freq: 2 }),
});

describe('P20 a resize while updates are in flight', () => {
  test.each([
    ['wider', 70, 0],
    ['wider', 57, 7],
    ['narrower', 25, 3],
    ['narrower', 39, 5],
  ])('keeps every paragraph when the window becomes %s: %i columns', async (_, columns, skip) => {
    const opened = await open(40, 16);
    const { paragraphs, text } = textOf(4, [9, 31, 4]);
    const pieces = inPieces(text, [30]);
    for (const piece of pieces.splice(0, skip)) {
      opened.region.commit(piece);
      await opened.settle();
    }
    await race(opened, { columns, rows: 16, updates: 1, again: undefined }, pieces);
    for (const piece of pieces) opened.region.commit(piece);
    await opened.settle();
    const lines = await opened.screen.lines();
    expect(missing(paragraphs, lines)).toEqual([]);
  });

  test('is drawn exactly if the terminal reports that one update was affected', async () => {
    const opened = await open(40, 16);
    const { screen, region, settle } = opened;
    region.commit('first\nA paragraph that goes over more than one row, and');
    await settle();
    const step = { columns: 60, rows: 16, updates: 1, again: undefined };
    await race(opened, step, [' on', ' and on,', ' to its end.\n']);
    expect((await screen.lines()).slice(0, 3)).toEqual([
      'first',
      'A paragraph that goes over more than one row, and on and on, to its end.',
      expect.stringMatching(/^status/),
    ]);
  });

  test('loses nothing in a terminal that never replies', async () => {
    const opened = await open(40, 16);
    const { screen, region, settle } = opened;
    screen.askColumn = () => undefined;
    const paragraph = 'A paragraph that goes over more than one row, and on and on, to its end.';
    region.commit(`first\n${paragraph.slice(0, 49)}`);
    await settle();
    const step = { columns: 60, rows: 16, updates: 1, again: undefined };
    await race(opened, step, [' on', ' and on,', ' to its end.\n']);
    expect(missing(['first', paragraph], await screen.lines())).toEqual([]);
  });

  test('keeps every paragraph whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(raceStep, { minLength: 1, maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
        fc.array(fc.integer({ min: 5, max: 90 }), { minLength: 1, maxLength: 5 }),
        async (steps, lengths, sizes) => {
          const opened = await open(40, 16);
          const { paragraphs, text } = textOf(40, lengths);
          const pieces = inPieces(text, sizes);
          for (const step of steps) await race(opened, step, pieces);
          opened.region.commit(pieces.join(''));
          await opened.settle();
          expect(missing(paragraphs, await opened.screen.lines())).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });
});

const write = (at: number, text: string) => ({ at, text, line: emptyLine, reach: 0 });

/** What is remembered of texts that are written every 1.5 seconds. */
function remembered(...texts: readonly string[]): Written {
  return texts.reduce((written, text, index) => remember(written, write(index * 1500, text)), {
    ...nothingWritten,
  });
}

describe('the text remembered for a resize', () => {
  test('is each update of the last second, and the text before it', () => {
    expect(remembered('a', 'b', 'c')).toMatchObject({ older: 'ab', writes: [{ text: 'c' }] });
  });

  test('is limited to the last 100 lines of a long text', () => {
    const lines = Array.from({ length: 5000 }, (_, line) => `line ${line} ${'x'.repeat(50)}\n`);
    const { older } = remembered(lines.join(''), 'end');
    expect(older.split('\n')).toHaveLength(101);
    expect(older.endsWith(lines.at(-1) ?? '')).toBe(true);
  });

  test('is limited if the text has no line ends', () => {
    const { older } = remembered('x'.repeat(300_000), 'end');
    expect(older).toBe('x'.repeat(100_000));
  });

  test('is complete below the limit', () => {
    expect(remembered('x'.repeat(200_000), 'end').older).toHaveLength(200_000);
  });
});

test.each([
  ['a\nb\nc', 0, 'c'],
  ['a\nb\nc', 1, 'b\nc'],
  ['a\nb\nc', 9, 'a\nb\nc'],
  ['', 1, ''],
])('the last line of %j and %d lines before it are %j', (text, before, lines) => {
  expect(lastLines(text, before)).toBe(lines);
});
