import { setImmediate as tick } from 'node:timers/promises';
import type { Frame } from '../../src/terminal/region/paint.ts';
import { LiveRegion } from '../../src/terminal/region/region.ts';
import { createFakeClock } from './fake-clock.ts';
import { createScreen } from './screen.ts';

export const footer: Frame = {
  rows: ['status', '> prompt', 'footer'],
  caret: { row: 1, column: 8 },
};

export function openRegion(columns = 20, rows = 10, synchronized = true) {
  const screen = createScreen(columns, rows);
  const clock = createFakeClock();
  const region = new LiveRegion({
    output: screen,
    clock,
    synchronized,
    rewraps: true,
    cursorDrifts: true,
    resizePause: 100,
  });
  const settle = async () => {
    await screen.settled();
    await clock.advance(200);
    await tick();
  };
  return { screen, clock, region, settle };
}

/** Opens a region and renders `frame` in it. */
export async function drawn(frame: Frame, columns?: number, rows?: number) {
  const opened = openRegion(columns, rows);
  opened.region.render(() => frame);
  await opened.settle();
  return opened;
}

export const withRegion = (text: readonly string[]) => [...text, ...footer.rows];
