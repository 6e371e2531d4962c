import { expect, test } from 'vitest';
import { createBackground } from '../../../src/repl/screen/background.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

function openBackground(background?: 'light' | 'dark') {
  const clock = createFakeClock();
  const written: string[] = [];
  let changes = 0;
  const opened = createBackground({
    colors: { background, hasMany: true },
    canAsk: true,
    clock,
    write: (text) => written.push(text),
    onChange: () => (changes += 1),
  });
  return { background: opened, clock, written, changes: () => changes };
}

test('the terminal is asked for its background once', () => {
  const { background, written, changes } = openBackground();
  background.ask();
  expect(written).toEqual(['\u001B]11;?\u001B\\']);
  background.answered('light');
  background.answered('dark');
  expect(background.colors().background).toBe('light');
  expect(changes()).toBe(1);
});

test('nothing is asked if the environment names the background', () => {
  const { background, written } = openBackground('dark');
  background.ask();
  expect(written).toEqual([]);
});

test('a late reply changes nothing', async () => {
  const { background, clock, changes } = openBackground();
  background.ask();
  await clock.advance(1001);
  background.answered('light');
  expect(background.colors().background).toBeUndefined();
  expect(changes()).toBe(0);
});

test('natter waits for a reply before it leaves the terminal, but not long', async () => {
  const { background, clock } = openBackground();
  await background.settled();
  background.ask();
  const settled = background.settled();
  background.answered('light');
  await settled;
  const silent = openBackground();
  silent.background.ask();
  let isOver = false;
  const waiting = silent.background.settled().then(() => (isOver = true));
  await silent.clock.advance(199);
  expect(isOver).toBe(false);
  await silent.clock.advance(1);
  await waiting;
  expect(isOver).toBe(true);
  await clock.advance(0);
});
