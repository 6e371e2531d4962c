import { showInPager } from '../../terminal/device/pager.ts';
import type { Context } from '../../run.ts';

/** Prints a help, in a pager if it does not fit the terminal. */
export async function printHelp(context: Context, text: string): Promise<void> {
  const { streams, device, environment, platform } = context;
  const { stdout } = streams;
  if (stdout.isTerminal) {
    const size = { columns: stdout.columns(), rows: stdout.rows() };
    // Ctrl+C is a key of the pager; natter gets the signal too, but only when the pager has ended.
    const release = device.onInterrupt(() => undefined);
    if (showInPager(text, { ...size, environment, platform })) return;
    release();
  }
  await stdout.write(text);
}
