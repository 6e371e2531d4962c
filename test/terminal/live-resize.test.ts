import { describe, expect, test } from 'vitest';
import { drawn, footer, withRegion } from '../support/region.ts';
import type { Screen } from '../support/screen.ts';

function controls(screen: Screen): string[] {
  return screen.output.join('').match(/\u001B\[[?\d;]*[A-Za-z]/g) ?? [];
}

describe('T21 scrollback', () => {
  test('is never erased', async () => {
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
});

describe('a window that changes its size', () => {
  test.each([
    ['narrower', 12, 10],
    ['wider', 40, 10],
    ['lower', 20, 6],
    ['higher', 20, 16],
    ['both', 13, 7],
  ])('%s keeps text and one region', async (_, columns, rows) => {
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

  test('P20 20 resizes in a stream lose no text and leave one region', async () => {
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

  test.each([30, 21, 19, 12, 70])('takes the preview along, to %i columns', async (columns) => {
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

  test('is drawn once when it is dragged', async () => {
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
