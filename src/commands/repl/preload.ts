import type { Clock } from '../../clock.ts';
import type { ReplService } from './service.ts';

/** Milliseconds: by then the first frame is drawn, and no prompt is typed yet. */
const pause = 1000;

/** Modules that a conversation may need later, the most likely first. */
const parts: readonly (() => Promise<unknown>)[] = [
  () => import('../../client/create-client.ts'),
  () => import('../../client/http/node-network.ts'),
  () => import('../../terminal/markdown/markdown-stream.ts'),
  () => import('../../terminal/spoken/spoken-markdown.ts'),
  () => import('../../terminal/markdown/rows.ts'),
  () => import('../../terminal/highlight/code-line.ts'),
  () => import('../../conversation/code-blocks.ts'),
  () => import('../../repl/system/clipboard.ts'),
  () => import('../../repl/system/external-editor.ts'),
  () => import('../../conversation/journal/open-journal.ts'),
  () => import('../../conversation/library/find-conversation.ts'),
  () => import('../../repl/effects/list-effects.ts'),
  () => import('./list-port.ts'),
  () => import('../../repl/effects/export-conversation.ts'),
  () => import('../../repl/system/private-file.ts'),
  () => import('../../conversation/export/html.ts'),
  () => import('../../settings/settings-store.ts'),
  () => import('../program/report.ts'),
  () => import('../../repl/effects/mentioned-files.ts'),
  () => import('../prompt/attach-others.ts'),
  () => import('../prompt/guard/inspect-texts.ts'),
  () => import('../service/key-command.ts'),
  () => import('../../repl/effects/use-prompt-file.ts'),
  () => import('../../schema/compile-schema.ts'),
  () => import('../../repl/effects/compact.ts'),
  () => import('../../repl/effects/show-context.ts'),
  () => import('../../repl/effects/change-parameters.ts'),
  () => import('../../repl/effects/choose-role.ts'),
  () => import('../../repl/picker/pick-files.ts'),
  () => import('../../repl/picker/recognise-paths.ts'),
  () => import('./path-index.ts'),
  () => import('../../repl/shell/run-shell-line.ts'),
  () => import('../../repl/system/shell-command.ts'),
];

/**
 * Loads modules in advance, so that the conversation survives an update of natter's files.
 * @throws the reason of `signal`; an error of `prepare`, or of a missing module
 */
export async function preloadRepl(
  clock: Clock,
  signal: AbortSignal,
  service: ReplService,
): Promise<void> {
  await clock.sleep(pause, signal);
  await service.prepare();
  for (const load of parts) {
    await load();
    // Lets pending keys be handled first.
    await clock.sleep(0, signal);
  }
}
