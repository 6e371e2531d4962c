import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startLive } from '../../../src/repl/screen/start-live.ts';
import type { ReplState } from '../../../src/repl/state.ts';
import { step } from '../../../src/repl/step.ts';
import { colorStyle } from '../../../src/terminal/style.ts';
import { createMemoryDevice, createMemoryOutput } from '../../support/memory-context.ts';
import { openMemorySession } from '../../support/memory-session.ts';
import { stateOf, waitingAnswer } from '../../support/repl-state.ts';
import { createScreen } from '../../support/screen.ts';

/** A session on a terminal in memory that has colours. */
async function openLive(changes: Partial<ReplState> = {}) {
  const { session: memory, clock } = openMemorySession({
    environment: { TERM: 'xterm-256color' },
  });
  const { device, ...terminal } = createMemoryDevice();
  const screen = createScreen(80, 24);
  const updates: number[] = [];
  const write = (text: string) => {
    updates.push(clock.monotonic());
    screen.write(text);
    return undefined;
  };
  const { streams } = memory.context;
  const stdout = { ...createMemoryOutput(true), write };
  const context = { ...memory.context, device, streams: { ...streams, stdout } };
  const colors = { background: undefined, hasMany: true };
  const presentation = { ...memory.presentation, style: colorStyle, colors };
  const repl = { ...memory, context, presentation };
  const session = await startLive(repl, memory.journal(), stateOf(changes));
  return { session, clock, screen, updates, ...terminal };
}

test("R5 the spinner stands for 200 ms after a change of the window's size", async () => {
  const { session, clock, updates, resize } = await openLive({ activity: waitingAnswer });
  /** The times of the updates in the next milliseconds, from now on. */
  const updatesIn = async (milliseconds: number) => {
    updates.length = 0;
    const start = clock.monotonic();
    for (let passed = 0; passed < milliseconds; passed += 10) {
      await clock.advance(10);
      await tick();
    }
    return updates.map((time) => time - start);
  };
  session.update((now) => step(now));
  await updatesIn(100);
  expect(await updatesIn(500)).toHaveLength(5);
  resize();
  // The region is redrawn when the size is stable for 100 ms.
  expect(await updatesIn(200)).toEqual([100]);
  // The tick of a second may cause another one.
  const turns = (await updatesIn(500)).filter((time) => time % 100 === 0);
  expect(turns).toHaveLength(5);
});

test('R6: /clear moves text into the scrollback, and no blank rows', async () => {
  const { session, clock, screen } = await openLive();
  const shown = async () => {
    await clock.advance(100);
    await tick();
    return (await screen.lines()).slice(0, 3);
  };
  await session.screen.write('one\n');
  expect(await shown()).toEqual(['one', '', expect.stringMatching(/^─+$/)]);
  for (let presses = 0; presses < 3; presses += 1) {
    session.screen.scrollAway();
    expect(await shown()).toEqual(['one', '', expect.stringMatching(/^─+$/)]);
  }
  await session.screen.write('two\n');
  expect(await shown()).toEqual(['one', 'two', '']);
});

const query = '\u001B]11;?\u001B\\';
const light = '\u001B]11;rgb:ffff/ffff/ffff\u001B\\';
const dark = '\u001B]11;rgb:0000/0000/0000\u001B\\';

test.each([
  ['has the colours of the background that the terminal says', 1000, [light, dark], '[48;5;254m'],
  ['does not change after a late reply', 1001, [light], undefined],
])('a prompt %s', async (_, elapsed, replies, band) => {
  const { session, clock, screen, type } = await openLive();
  const output = () => screen.output.join('');
  expect(output().split(query)).toHaveLength(2);
  await clock.advance(elapsed);
  for (const reply of replies) type(reply);
  await session.transcript.print([{ type: 'prompt', text: 'tea' }]);
  await clock.advance(100);
  expect(output().includes('[48;5;')).toBe(band !== undefined);
  expect(output()).toContain(band ?? 'tea');
});

test('natter waits for a reply before it leaves the terminal, but not long', async () => {
  const replying = await openLive();
  const left = replying.session.close();
  replying.type(light);
  await left;
  const silent = await openLive();
  let isOver = false;
  const waiting = silent.session.close().then(() => (isOver = true));
  await tick();
  await silent.clock.advance(199);
  expect(isOver).toBe(false);
  await silent.clock.advance(1);
  await waiting;
});
