import type { Notices } from '../../../output/notices.ts';
import type { AnswerCheck } from '../../check/open-check.ts';
import type { BatchFallback, BatchFallbackOptions } from './fallback.ts';

interface FallbackRun extends Omit<BatchFallbackOptions, 'presentation'> {
  readonly presentation: BatchFallbackOptions['presentation'] & { readonly notices: Notices };
  readonly items: { readonly check?: AnswerCheck | undefined };
}

/** Undefined without `fallback`, and with a check: its option is refused, and a notice reports the setting. */
export async function openFallback(run: FallbackRun): Promise<BatchFallback | undefined> {
  if (run.settings.values.fallback === undefined) return undefined;
  if (run.items.check !== undefined) {
    run.presentation.notices.notice(
      'the setting fallback does not apply to a batch with checked answers',
    );
    return undefined;
  }
  const { openBatchFallback } = await import('./fallback.ts');
  return openBatchFallback(run);
}
