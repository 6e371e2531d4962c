import type { Tally } from '../../../batch/tally.ts';
import {
  type BatchProgress,
  batchProgress,
  batchShare,
  createBatchProgress,
} from '../../../output/batch-progress.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import type { Presentation } from '../../print/presentation.ts';
import { openWindowStatus } from '../../print/window-status.ts';
import type { Context } from '../../program/context.ts';
import type { BatchOptions } from '../plan.ts';
import type { Admission } from '../sending/admission.ts';

interface ProgressSources {
  readonly context: Context;
  readonly options: BatchOptions;
  readonly presentation: Presentation;
  readonly settings: ResolvedSettings;
  readonly tally: Tally;
}

/** Shows the progress on standard error, and in the window's title and tab. */
export function showProgress(
  run: ProgressSources,
  { places }: Admission,
  stop: AbortSignal,
): BatchProgress {
  const { context, presentation, tally, options, settings } = run;
  const { clock, streams } = context;
  const { noticeStyle: style } = presentation;
  const animated = presentation.animated && options.quiet !== true && options.progressJson !== true;
  const window = openWindowStatus(context, animated, settings.values);
  const onDraw = () => {
    const share = batchShare(tally);
    const title = share === undefined ? 'natter batch' : `${Math.floor(share)}% - natter batch`;
    window.show(title, places.pauseRemaining() > 0 ? 'paused' : (share ?? 'busy'));
  };
  const line = createBatchProgress({ stderr: streams.stderr, style, clock, animated, onDraw });
  const start = clock.monotonic();
  line.begin(() => {
    const [waiting, isStopping] = [places.pauseRemaining(), stop.aborted];
    const state = { waiting, isStopping, allowed: places.found() };
    return batchProgress({ ...tally, elapsed: clock.monotonic() - start }, state);
  });
  return {
    ...line,
    end() {
      line.end();
      window.end();
    },
  };
}
