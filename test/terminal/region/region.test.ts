import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createMemoryOutput } from '../../support/memory-context.ts';
import { createScreen, drawn, footer, openRegion, withRegion } from '../../support/screen.ts';
import { fc } from '../../support/properties.ts';

test('the live region is drawn below earlier output, with the cursor at the caret', async () => {
  const { screen, render } = openRegion();
  screen.write('$ natter\r\n');
  await render(footer);
  expect(await screen.screen()).toEqual(['$ natter', ...footer.rows]);
  expect(await screen.cursor()).toEqual({ row: 2, column: 8 });
});

test('the live region writes only rows that changed, and nothing for an identical frame', async () => {
  const { screen, render, written } = await drawn(footer);
  const rows = ['status', '> prompt', 'other'];
  expect(await written(() => render({ ...footer, rows }))).not.toContain('status');
  expect(await screen.screen()).toEqual(rows);
  expect(await screen.cursor()).toEqual({ row: 1, column: 8 });
  expect(await written(() => render({ ...footer, rows }))).toBe('');
});

test('the live region updates the terminal at most 30 times a second, and has no timer while nothing changes', async () => {
  const { screen, clock, region, settle } = await drawn(footer);
  expect(clock.sleeping()).toBe(0);
  screen.output.length = 0;
  for (let count = 0; count < 1000; count += 1) {
    region.commit('x ');
    await clock.advance(1);
  }
  await settle();
  expect(screen.output.length).toBeLessThanOrEqual(32);
});

test('the live region grows and shrinks', async () => {
  const { screen, commit, render } = await drawn(footer, 20, 5);
  await commit('text\nopen');
  for (const count of [4, 1, 3, 2, 4]) {
    const rows = Array.from({ length: count }, (_, index) => `row ${index} of ${count}`);
    await render({ rows, caret: { row: count - 1, column: 2 } });
    expect((await screen.lines()).filter(Boolean)).toEqual(['text', 'open', ...rows]);
  }
});

test('the live region leaves one row of the window for text', async () => {
  const rows = Array.from({ length: 30 }, (_, index) => `row ${index}`);
  const { screen, commit } = await drawn({ rows, caret: { row: 29, column: 1 } }, 20, 6);
  await commit('text\n');
  expect(await screen.lines()).toEqual(['text', ...rows.slice(-5)]);
});

test('text above the region has its marks written once, and as wide as without them', async () => {
  const { screen, region, settle, commit } = await drawn(footer, 20, 10);
  const mark = (name: string) => `\u001B]133;${name}\u001B\\`;
  const prompt = [`${mark('A')}> hi${mark('B')}\n`, `${mark('C')}\n`];
  for (const part of [...prompt, 'an ', 'open line of words ']) {
    await commit(part);
    region.redraw();
    await settle();
  }
  await commit('that end\n');
  expect(await screen.screen()).toEqual(
    withRegion(['> hi', '', 'an open line of word', 's that end']),
  );
  const written = screen.output.join('');
  for (const name of ['A', 'B', 'C']) expect(written.split(mark(name))).toHaveLength(2);
});

test('text above the region shows an open line before its end arrives', async () => {
  const { screen, commit } = await drawn(footer);
  await commit('first\nsec');
  expect(await screen.screen()).toEqual(withRegion(['first', 'sec']));
  await commit('ond');
  expect(await screen.screen()).toEqual(withRegion(['first', 'second']));
  expect(await screen.cursor()).toEqual({ row: 3, column: 8 });
});

test('text above the region rewrites no row of the region while new text fits in its row', async () => {
  const { commit, written } = await drawn(footer);
  await commit('one ');
  const bytes = await written(() => commit('two'));
  expect(bytes).toMatch(/two/);
  expect(bytes).not.toMatch(/status|prompt|footer/);
});

test('text above the region keeps a style that continues in the next row', async () => {
  const { screen, commit, written } = await drawn(footer, 10, 8);
  await commit('12345\u001B[1m678901234\u001B[22m');
  expect(await written(() => commit('next'))).toContain('\r\u001B[1m1234\u001B[22mnext');
  expect(await screen.lines()).toEqual(withRegion(['12345678901234next']));
});

test('text above the region shows a preview after an open line until more text arrives', async () => {
  const { screen, region, commit, render } = await drawn(footer);
  region.commit('one ');
  await render({ ...footer, preview: '**tw' });
  expect((await screen.screen())[0]).toBe('one **tw');
  region.render(() => footer);
  await commit('two');
  expect((await screen.screen())[0]).toBe('one two');
});

const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(' ', '\n', '漢字', '😀', 'e\u0301', '\u001B[1mbold\u001B[22m', '\t'),
    fc.stringMatching(/^[a-z ]{1,25}$/),
  ),
  { minLength: 1, maxLength: 60 },
);

test('text above the region is the same in any pieces, without added line breaks', async () => {
  await fc.assert(
    fc.asyncProperty(pieces, fc.array(fc.nat(3)), async (texts, flushes) => {
      const { screen, region, settle } = await drawn(footer, 12, 6);
      const whole = createScreen(12, 6);
      for (const [index, text] of texts.entries()) {
        region.commit(text);
        if (flushes[index] !== 0) await settle();
      }
      region.suspend();
      const text = texts.join('');
      whole.write(`${text.replaceAll('\n', '\r\n')}\r\n`);
      expect(await screen.lines()).toEqual(await whole.lines());
    }),
    { numRuns: 50 },
  );
});

test('an update is synchronized, unless that is switched off', async () => {
  const { screen } = await drawn(footer);
  expect(screen.output).toHaveLength(1);
  expect(screen.output[0]).toMatch(/^\u001B\[\?2026h.*\u001B\[\?2026l$/s);
  const { written, render } = openRegion(20, 10, { synchronized: false });
  expect(await written(() => render(footer))).not.toContain('2026');
});

test.each([60, 80, 100])(
  'T20 the cursor is at the caret in a terminal of %i columns that reports no size',
  async (columns) => {
    const { columns: width, rows } = createMemoryOutput(true);
    const { screen, render } = openRegion(columns, 30, { output: { columns: width, rows } });
    await render(footer);
    expect(await screen.screen()).toEqual(footer.rows);
    expect(await screen.cursor()).toEqual({ row: 1, column: 8 });
  },
);

test('a row that gets shorter is erased before it is drawn, because tmux keeps the cells that EL 0 erases', async () => {
  const { screen, render, written } = await drawn({ rows: ['filter: a long row', 'second'] });
  const update = await written(() => render({ rows: ['prompt', 'longer row'] }));
  expect(update).toContain('\u001B[2K\u001B[?7lprompt\u001B[?7h');
  expect(update).toContain('\u001B[?7llonger row\u001B[?7h\u001B[K');
  expect(update.split('\u001B[2K')).toHaveLength(2);
  expect(update.split('\u001B[K')).toHaveLength(2);
  expect(await screen.screen()).toEqual(['prompt', 'longer row']);
});

test.each([
  [' later\n', ['later']],
  ['\nlater\n', ['later']],
  [' \n\n  later\n', ['', '  later']],
])('a paused region has ended an open line: %j continues in the next row', async (rest, rows) => {
  const { screen, region, settle, commit } = await drawn(footer);
  await commit('open');
  region.suspend();
  expect(await screen.screen()).toEqual(['open']);
  for (const character of rest) region.commit(character);
  await settle();
  screen.write('editor\r\n');
  region.resume();
  await settle();
  expect(await screen.screen()).toEqual(withRegion(['open', 'editor', ...rows]));
});

test('a paused region is redrawn after other output overwrote it', async () => {
  const { screen, region, settle } = await drawn(footer);
  screen.write('\rgarbage');
  region.redraw();
  await settle();
  expect(await screen.screen()).toEqual(footer.rows);
});

test('a paused region leaves the text and an empty row when it is closed', async () => {
  const { screen, region, commit, render, clock } = await drawn(footer);
  region.commit('last words');
  region.suspend();
  expect(await screen.screen()).toEqual(['last words']);
  expect(await screen.cursor()).toEqual({ row: 1, column: 0 });
  await commit('more');
  await render(footer);
  expect(await screen.screen()).toEqual(['last words']);
  expect(clock.sleeping()).toBe(0);
});

test('an update waits until a slow terminal has accepted the previous one', async () => {
  let resolve = () => {};
  const taken = new Promise<void>((done) => (resolve = done));
  const updates: string[] = [];
  const write = (text: string) => {
    updates.push(text);
    return taken;
  };
  const { clock, region } = openRegion(20, 10, { output: { write } });
  region.commit('one\n');
  await tick();
  region.commit('two\n');
  await clock.advance(1000);
  await tick();
  expect([updates.length, region.slowness()]).toEqual([1, taken]);
  resolve();
  await tick();
  expect(updates).toHaveLength(2);
});
