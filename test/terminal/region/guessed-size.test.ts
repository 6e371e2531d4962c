import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LiveRegion } from '../../../src/terminal/region/region.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { footer } from '../../support/region.ts';
import { createScreen } from '../../support/screen.ts';

test.each([60, 80, 100])(
  'T20 the cursor is at the caret in a terminal of %i columns that reports no size',
  async (columns) => {
    const screen = createScreen(columns, 30);
    const region = new LiveRegion({
      output: { ...screen, columns: () => 80, rows: () => 24 },
      clock: createFakeClock(),
      synchronized: true,
      rewraps: true,
      cursorDrifts: true,
      resizePause: 100,
    });
    region.render(() => footer);
    await tick();
    expect(await screen.screen()).toEqual(footer.rows);
    expect(await screen.cursor()).toEqual({ row: 1, column: 8 });
  },
);
