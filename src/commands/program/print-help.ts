import type { Context } from './context.ts';

/** Prints a help, in a pager if it does not fit the terminal. */
export async function printHelp(
  { streams: { stdout }, environment, platform }: Context,
  text: string,
): Promise<void> {
  if (stdout.isTerminal) {
    const { showInPager } = await import('../../terminal/device/pager.ts');
    const size = { columns: stdout.columns(), rows: stdout.rows() };
    if (showInPager(text, { ...size, environment, platform })) return;
  }
  await stdout.write(text);
}
