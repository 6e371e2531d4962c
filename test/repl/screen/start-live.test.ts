import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startLive } from '../../../src/repl/screen/start-live.ts';
import { createMemoryDevice, createMemoryOutput } from '../../support/memory-context.ts';
import { openMemorySession } from '../../support/memory-session.ts';
import { step } from '../../../src/repl/step.ts';
import { createScreen } from '../../support/screen.ts';
import { stateOf, waitingAnswer } from '../../support/repl-state.ts';

test("R5 the spinner stands for 200 ms after a change of the window's size", async () => {
  const { session: memory, clock } = openMemorySession({});
  const { device, resize } = createMemoryDevice();
  const updates: number[] = [];
  const write = () => void updates.push(clock.monotonic());
  const { streams } = memory.context;
  const context = {
    ...memory.context,
    device,
    streams: { ...streams, stdout: { ...createMemoryOutput(true), write } },
  };
  const state = stateOf({ activity: waitingAnswer });
  const session = await startLive({ ...memory, context }, memory.journal(), state);
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
  const { session: memory, clock } = openMemorySession({});
  const { device } = createMemoryDevice();
  const screen = createScreen(80, 24);
  const stdout = { ...createMemoryOutput(true), ...screen };
  const { streams } = memory.context;
  const context = { ...memory.context, device, streams: { ...streams, stdout } };
  const session = await startLive({ ...memory, context }, memory.journal(), stateOf());
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
