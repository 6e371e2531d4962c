import { describe, expect, test } from 'vitest';
import { setImmediate as tick } from 'node:timers/promises';
import { LiveRegion } from '../../../src/terminal/region/region.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createMemoryOutput } from '../../support/memory-context.ts';
import {
  createScreen,
  drawn,
  footer,
  openRegion,
  rewrappingTraits,
  withRegion,
} from '../../support/screen.ts';

const text = Array.from({ length: 30 }, (_, line) => `line ${line}`);

describe('X27: a window that becomes lower than the preview of a table', () => {
  /** A streaming table: its last rows, then the composer. */
  const previewed = {
    rows: [...Array.from({ length: 8 }, (_, row) => `| cell ${row} |`), '', ...footer.rows],
    caret: { row: 10, column: 8 },
    keepsFirstRows: true,
  };

  test.each([
    [40, 11],
    [40, 9],
    [40, 7],
    [40, 5],
    [40, 4],
    [40, 3],
    [30, 7],
    [20, 7],
    [60, 7],
  ])('leaves no stray row at %i columns and %i rows', async (columns, rows) => {
    const { screen, region, render, resize } = await drawn(footer, 40, 24);
    region.commit(`${text.join('\n')}\n`);
    await render(previewed);
    await resize(columns, rows);
    region.commit('the table\n');
    await render(footer);
    await resize(40, 24);
    expect(await screen.lines()).toEqual(withRegion([...text, 'the table']));
  });

  test('has a drawn caret and a hidden cursor meanwhile', async () => {
    const { screen, render } = await drawn(previewed, 40, 24);
    expect(screen.output.at(-1)).toContain('> prompt\u001B[7m \u001B[27m');
    expect(screen.output.at(-1)).not.toContain('\u001B[?25h');
    await render(footer);
    expect(screen.output.at(-1)).toContain('\u001B[?25h');
    expect(await screen.cursor()).toEqual({ row: 1, column: 8 });
  });
});

test.each([
  ['narrower', 12, 10],
  ['wider', 40, 10],
  ['lower', 20, 6],
  ['higher', 20, 16],
  ['narrower and lower', 13, 7],
])('a window that becomes %s keeps text and one region', async (_, columns, rows) => {
  const { screen, commit, resize } = await drawn(footer, 20, 10);
  const first = 'The first paragraph is longer than a row.';
  await commit(`${first}\nThe second one is not`);
  await resize(columns, rows);
  await commit(' at its end.\nlast');
  const lines = [first, 'The second one is not at its end.', 'last'];
  expect(await screen.lines()).toEqual(withRegion(lines));
});

test('P20 T21 a resized window keeps all text and one region after 20 resizes during a stream, and never erases scrollback', async () => {
  const { screen, region, settle, clock } = await drawn(footer, 40, 12);
  const words: string[] = [];
  for (let step = 0; step < 200; step += 1) {
    const word = step % 9 === 8 ? `end${step}.\n` : `word${step} `;
    words.push(word);
    region.commit(word);
    await clock.advance(40);
    if (step % 10 === 9) {
      await screen.resize([40, 25, 31, 60, 33][((step / 10) % 5) | 0] ?? 40, 8 + ((step * 7) % 9));
      region.resized();
      await screen.settled();
      await clock.advance(150);
    }
  }
  await settle();
  expect(await screen.lines()).toEqual(withRegion(words.join('').split('\n')));
  expect(screen.output.join('')).not.toMatch(/\u001B\[[?\d;]*J/);
});

test.each([30, 21, 19, 12, 70])(
  'a resized window moves the preview to %i columns',
  async (columns) => {
    const { screen, region, render, resize } = await drawn(footer, 40, 12);
    region.commit('The first line\nThis line is open at its');
    await render({ ...footer, preview: ' end **soon' });
    await resize(columns, 12);
    region.commit(' end soon.\n');
    await render(footer);
    expect(await screen.lines()).toEqual(
      withRegion(['The first line', 'This line is open at its end soon.']),
    );
  },
);

test('a resized window is redrawn once after being dragged', async () => {
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

const streaming = (preview: string) => ({
  rows: ['', 'answering', '', 'rule', '> prompt', 'footer'],
  caret: { row: 4, column: 8 },
  preview,
});

test.each([5, 4, 3])('R3: the preview of a word is not repeated at %i rows', async (rows) => {
  const { screen, region, commit, render, resize } = await drawn(streaming(''), 40, 24);
  region.commit(`${text.join('\n')}\nearly before`);
  await render(streaming(' keep'));
  await resize(40, rows);
  region.commit(' keep so short');
  await render({ rows: ['> prompt'], caret: { row: 0, column: 8 } });
  await commit(' one day');
  const shown = (await screen.lines()).join('\n');
  expect(shown.match(/keep/g)).toHaveLength(1);
  expect(shown).toContain('early before keep\n');
  expect(shown).toContain('so short one day');
});

test.each([6, 5, 4, 3, 2])(
  'R3: an update before natter knows of a window of %i rows leaves no row over',
  async (rows) => {
    let known = 24;
    const opened = openRegion(40, 24, { output: { rows: () => known } });
    const { screen, region, render, resize } = opened;
    const keeping = (preview: string) => ({ ...streaming(preview), keepsFirstRows: true });
    region.commit(`${text.join('\n')}\nearly before`);
    await render(keeping(' kee'));
    await screen.resize(40, rows);
    await render(keeping(' keep'));
    known = rows;
    await resize(40, rows);
    region.commit(' keep so short\n');
    await render(footer);
    known = 24;
    await resize(40, 24);
    expect(await screen.lines()).toEqual(withRegion([...text, 'early before keep so short']));
  },
);
