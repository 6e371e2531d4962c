import type { Clock } from '../../clock.ts';

/** Milliseconds: the first frame is drawn by then, and nobody has typed a prompt. */
const pause = 1000;

/** What a conversation may need later, the most likely first. */
const parts: readonly (() => Promise<unknown>)[] = [
  () => import('../../client/create-client.ts'),
  () => import('../../terminal/markdown/markdown-stream.ts'),
  () => import('../../terminal/highlight/code-line.ts'),
  () => import('../../conversation/code-blocks.ts'),
  () => import('../../conversation/journal/open-journal.ts'),
  () => import('../../conversation/library/find-conversation.ts'),
  () => import('../program/report.ts'),
];

/**
 * Loads a moment later what a conversation that lasts all day may need, so that an update which replaces natter's
 * files meanwhile does not break it; the sandbox, for trying things out, is left. Never fails: what cannot be loaded is told by whoever needs it.
 */
export async function preloadRepl(clock: Clock, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(pause, signal);
    for (const load of parts) {
      await load();
      // Keys that were pressed meanwhile come first.
      await clock.sleep(0, signal);
    }
  } catch {
    // The conversation is over, or a part is gone already.
  }
}
