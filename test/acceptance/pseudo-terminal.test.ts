import { expect, test } from 'vitest';
import { spawnOnTerminal } from '../support/pseudo-terminal.ts';
import { openTerminal } from '../support/terminal.ts';

/** Keeps this process busy, as a loaded machine does. */
function keepBusy(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `${index + 1}\r\n`).join('');

test.skipIf(process.platform === 'win32')(
  'Y32: all output is read of a program that ends while its terminal is busy',
  async () => {
    for (const busy of [0, 250]) {
      const child = spawnOnTerminal('/bin/sh', ['-c', 'seq 1 3000; printf end'], { cols: 80 });
      let output = '';
      let reads = 0;
      child.onData((text) => {
        output += text;
        reads += 1;
        if (reads < 3) keepBusy(busy);
      });
      await new Promise((resolve) => child.onExit(resolve));
      expect(output).toBe(`${numbers(3000)}end`);
    }
  },
);

test.skipIf(process.platform === 'win32')(
  'Y32: natter has written all output of a comparison when it ends, even to a slow terminal',
  async () => {
    const session = openTerminal(['compare', '--sandbox', '--diff', '[sandbox hostile] hi'], {
      columns: 120,
      env: { NO_COLOR: '1' },
    });
    await session.waitFor(/origin/);
    keepBusy(1500);
    const { exitCode } = await session.exit;
    expect(exitCode).toBe(0);
    expect(session.output()).toMatch(
      /not shown; --raw shows them, and a pipe gets them unchanged\r\n$/,
    );
  },
);
