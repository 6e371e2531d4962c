import type { Clock } from '../../clock.ts';

/** Milliseconds: by then the first frame is drawn, and no prompt is typed yet. */
const pause = 1000;

/** Modules that a conversation may need later, the most likely first. */
const parts: readonly (() => Promise<unknown>)[] = [
  () => import('../../client/create-client.ts'),
  () => import('../../client/http/undici/undici-exchange.ts'),
  () => import('../service/usage-meter.ts'),
  () => import('../../terminal/markdown/markdown-stream.ts'),
  () => import('../../terminal/highlight/code-line.ts'),
  () => import('../../conversation/code-blocks.ts'),
  () => import('../../conversation/journal/open-journal.ts'),
  () => import('../../conversation/library/find-conversation.ts'),
  () => import('../../settings/settings-store.ts'),
  () => import('../program/report.ts'),
];

/** Loads modules in advance, so that the conversation survives an update of natter's files. Never fails. */
export async function preloadRepl(clock: Clock, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(pause, signal);
    for (const load of parts) {
      await load();
      // Lets pending keys be handled first.
      await clock.sleep(0, signal);
    }
  } catch {
    // The conversation has ended, or a module is missing.
  }
}
