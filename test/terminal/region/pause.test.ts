import { describe, expect, test } from 'vitest';
import { drawn, footer, withRegion } from '../../support/region.ts';

describe('a paused region', () => {
  test('is erased, queues text, and resumes', async () => {
    const { screen, region, settle } = await drawn(footer);
    region.commit('open');
    await settle();
    region.suspend();
    expect(await screen.screen()).toEqual(['open']);
    region.commit('later\n');
    await settle();
    screen.write('editor\r\n');
    region.resume();
    await settle();
    expect(await screen.screen()).toEqual(withRegion(['open', 'editor', 'later']));
  });

  test.each([
    [' later\n', ['later']],
    ['\nlater\n', ['later']],
    [' \n\n  later\n', ['', '  later']],
  ])('has ended an open line: %j continues in the next row', async (rest, rows) => {
    const { screen, region, settle } = await drawn(footer);
    region.commit('open');
    await settle();
    region.suspend();
    for (const character of rest) region.commit(character);
    region.resume();
    await settle();
    expect(await screen.screen()).toEqual(withRegion(['open', ...rows]));
  });

  test('is redrawn after other output overwrote it', async () => {
    const { screen, region, settle } = await drawn(footer);
    screen.write('\rgarbage');
    region.redraw();
    await settle();
    expect(await screen.screen()).toEqual(footer.rows);
  });

  test('leaves the text and an empty row when it is closed', async () => {
    const { screen, region, settle, clock } = await drawn(footer);
    region.commit('last words');
    region.close();
    expect(await screen.screen()).toEqual(['last words']);
    expect(await screen.cursor()).toEqual({ row: 1, column: 0 });
    region.commit('more');
    region.render(() => footer);
    await settle();
    expect(await screen.screen()).toEqual(['last words']);
    expect(clock.sleeping()).toBe(0);
  });
});
