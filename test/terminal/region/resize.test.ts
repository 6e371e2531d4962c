import { describe, expect, test } from 'vitest';
import { setImmediate as tick } from 'node:timers/promises';
import { LiveRegion } from '../../../src/terminal/region/region.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createMemoryOutput } from '../../support/memory-context.ts';
import {
  createScreen,
  drawn,
  footer,
  rewrappingTraits,
  type Screen,
  withRegion,
} from '../../support/screen.ts';

function controls(screen: Screen): string[] {
  return screen.output.join('').match(/\u001B\[[?\d;]*[A-Za-z]/g) ?? [];
}

test('T21 scrollback is never erased', async () => {
  const { screen, region, settle } = await drawn(footer, 20, 6);
  for (let line = 0; line < 50; line += 1) {
    region.commit(`line ${line}\nopen`);
    if (line % 10 === 0) {
      await screen.resize(15 + (line % 20), 5 + (line % 3));
      region.resized();
    }
    await settle();
  }
  region.close();
  expect(controls(screen).filter((code) => code.endsWith('J'))).toEqual([]);
});

/** A streaming table: its last rows, then the composer. */
const previewed = {
  rows: [...Array.from({ length: 8 }, (_, row) => `| cell ${row} |`), '', ...footer.rows],
  caret: { row: 10, column: 8 },
  keepsFirstRows: true,
};

describe('X27: a window that becomes lower than the preview of a table', () => {
  const text = Array.from({ length: 30 }, (_, line) => `line ${line}`);

  test.each([11, 9, 8, 7, 6, 5, 4, 3])('leaves no stray row at %i rows', async (rows) => {
    const { screen, region, settle } = await drawn(footer, 40, 24);
    region.commit(`${text.join('\n')}\n`);
    region.render(() => previewed);
    await settle();
    await screen.resize(40, rows);
    region.resized();
    await settle();
    region.commit('the table\n');
    region.render(() => footer);
    await settle();
    await screen.resize(40, 24);
    region.resized();
    await settle();
    const lines = await screen.lines();
    const last = rows === 3 ? [...text, 'the table'] : withRegion([...text, 'the table']);
    expect(lines.slice(0, last.length)).toEqual(last);
    expect(lines).toEqual(withRegion([...text, 'the table']));
  });

  test.each([30, 20, 60])(
    'keeps text and one region if it also gets %i columns',
    async (columns) => {
      const { screen, region, settle } = await drawn(footer, 40, 24);
      region.commit(`${text.join('\n')}\n`);
      region.render(() => previewed);
      await settle();
      await screen.resize(columns, 7);
      region.resized();
      await settle();
      region.commit('the table\n');
      region.render(() => footer);
      await settle();
      expect(await screen.lines()).toEqual(withRegion([...text, 'the table']));
    },
  );

  test('has a drawn caret and a hidden cursor meanwhile', async () => {
    const { screen, region, settle } = await drawn(previewed, 40, 24);
    expect(screen.output.at(-1)).toContain('> prompt\u001B[7m \u001B[27m');
    expect(screen.output.at(-1)).not.toContain('\u001B[?25h');
    region.render(() => footer);
    await settle();
    expect(screen.output.at(-1)).toContain('\u001B[?25h');
    expect(await screen.cursor()).toEqual({ row: 1, column: 8 });
  });
});

describe('a resized window', () => {
  test.each([
    ['narrower', 12, 10],
    ['wider', 40, 10],
    ['lower', 20, 6],
    ['higher', 20, 16],
    ['narrower and lower', 13, 7],
  ])('that becomes %s keeps text and one region', async (_, columns, rows) => {
    const { screen, region, settle } = await drawn(footer, 20, 10);
    region.commit('The first paragraph is longer than a row.\nThe second one is not');
    await settle();
    await screen.resize(columns, rows);
    region.resized();
    await settle();
    region.commit(' at its end.\nlast');
    await settle();
    expect(await screen.lines()).toEqual(
      withRegion([
        'The first paragraph is longer than a row.',
        'The second one is not at its end.',
        'last',
      ]),
    );
  });

  test('P20 keeps all text and one region after 20 resizes during a stream', async () => {
    const { screen, region, settle, clock } = await drawn(footer, 40, 12);
    const words: string[] = [];
    for (let step = 0; step < 200; step += 1) {
      const word = step % 9 === 8 ? `end${step}.\n` : `word${step} `;
      words.push(word);
      region.commit(word);
      await clock.advance(40);
      if (step % 10 === 9) {
        await screen.resize(
          [40, 25, 31, 60, 33][((step / 10) % 5) | 0] ?? 40,
          8 + ((step * 7) % 9),
        );
        region.resized();
        await screen.settled();
        await clock.advance(150);
      }
    }
    await settle();
    const wanted = words.join('').split('\n');
    expect(await screen.lines()).toEqual(withRegion(wanted));
  });

  test.each([30, 21, 19, 12, 70])('moves the preview to %i columns', async (columns) => {
    const { screen, region, settle } = await drawn(footer, 40, 12);
    region.commit('The first line\nThis line is open at its');
    region.render(() => ({ ...footer, preview: ' end **soon' }));
    await settle();
    await screen.resize(columns, 12);
    region.resized();
    await settle();
    region.commit(' end soon.\n');
    region.render(() => footer);
    await settle();
    expect(await screen.lines()).toEqual(
      withRegion(['The first line', 'This line is open at its end soon.']),
    );
  });

  test('is redrawn once after being dragged', async () => {
    const { screen, region, clock } = await drawn(footer, 40, 12);
    screen.output.length = 0;
    for (let columns = 39; columns > 25; columns -= 1) {
      await screen.resize(columns, 12);
      region.resized();
      await clock.advance(20);
    }
    expect(screen.output).toEqual([]);
    await clock.advance(100);
    expect(screen.output).toHaveLength(1);
  });
});

test('P20 a resize that is noticed at an update delays it', async () => {
  const screen = createScreen(20, 10);
  const clock = createFakeClock();
  let isNew = true;
  const region = new LiveRegion({
    output: { ...createMemoryOutput(true), ...screen, columns: () => (isNew ? 20 : 30) },
    clock,
    traits: rewrappingTraits,
    checkSize: () => {
      if (isNew) region.resized();
      isNew = false;
    },
  });
  region.render(() => footer);
  await tick();
  await clock.advance(99);
  expect(screen.output).toEqual([]);
  await clock.advance(1);
  await tick();
  expect(await screen.screen()).toEqual(footer.rows);
});

test.each([5, 4, 3])('R3: the preview of a word is not repeated at %i rows', async (rows) => {
  const streaming = (preview: string) => ({
    rows: ['', 'answering', '', 'rule', '> prompt', 'footer'],
    caret: { row: 4, column: 8 },
    preview,
  });
  const { screen, region, settle } = await drawn(streaming(''), 40, 24);
  region.commit(
    `${Array.from({ length: 30 }, (_, line) => `line ${line}`).join('\n')}\nearly before`,
  );
  region.render(() => streaming(' keep'));
  await settle();
  await screen.resize(40, rows);
  region.resized();
  await settle();
  region.commit(' keep so short');
  region.render(() => ({ rows: ['> prompt'], caret: { row: 0, column: 8 } }));
  await settle();
  region.commit(' one day');
  await settle();
  const text = (await screen.lines()).join('\n');
  expect(text.match(/keep/g)).toHaveLength(1);
  expect(text).toContain('early before keep\n');
  expect(text).toContain('so short one day');
});

test.each([6, 5, 4, 3, 2])(
  'R3: an update before natter knows of a window of %i rows leaves no row over',
  async (rows) => {
    const screen = createScreen(40, 24);
    const clock = createFakeClock();
    let known = 24;
    const output = { ...createMemoryOutput(true), ...screen, rows: () => known };
    const region = new LiveRegion({ output, clock, traits: rewrappingTraits });
    const settle = async () => {
      await screen.settled();
      await clock.advance(200);
      await screen.settled();
    };
    const resize = async (next: number) => {
      known = next;
      region.resized();
      await settle();
    };
    const streaming = (preview: string) => ({
      rows: ['', 'answering', '', 'rule', '> prompt', 'footer'],
      caret: { row: 4, column: 8 },
      preview,
      keepsFirstRows: true,
    });
    const text = Array.from({ length: 30 }, (_, line) => `line ${line}`);
    region.commit(`${text.join('\n')}\nearly before`);
    region.render(() => streaming(' kee'));
    await settle();
    await screen.resize(40, rows);
    region.render(() => streaming(' keep'));
    await settle();
    await resize(rows);
    region.commit(' keep so short\n');
    region.render(() => footer);
    await settle();
    await screen.resize(40, 24);
    await resize(24);
    expect(await screen.lines()).toEqual(withRegion([...text, 'early before keep so short']));
  },
);
