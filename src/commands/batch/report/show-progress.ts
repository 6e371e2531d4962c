import type { Tally } from '../../../batch/tally.ts';
import {
  type BatchProgress,
  batchProgress,
  batchShare,
  createBatchProgress,
} from './batch-progress.ts';
import { count } from '../../../output/figures.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import type { Presentation } from '../../print/presentation.ts';
import { openWindowStatus } from '../../print/window-status.ts';
import type { Context } from '../../program/context.ts';
import type { Admission } from '../sending/admission.ts';

export interface ProgressSources {
  readonly context: Context;
  /** What the title of the window names: `natter batch`. */
  readonly command: string;
  readonly presentation: Presentation;
  /** Nothing is shown, as with `--quiet`. */
  readonly isQuiet: boolean;
  readonly settings: ResolvedSettings;
  readonly tally: Tally;
  /** Items without a result in a queue; undefined if unknown. */
  readonly left?: () => number | undefined;
}

function titleOf({ command, left }: ProgressSources, share: number | undefined): string {
  const queued = left?.();
  if (queued !== undefined) return `${count(queued)} left - ${command}`;
  return share === undefined ? command : `${Math.floor(share)}% - ${command}`;
}

/** Shows the progress on standard error, and in the window's title and tab. */
export function showProgress(
  run: ProgressSources,
  { places }: Admission,
  stop: AbortSignal,
): BatchProgress {
  const { context, presentation, tally, isQuiet, settings, left } = run;
  const { clock, streams } = context;
  const { noticeStyle: style } = presentation;
  const animated = presentation.animated && !isQuiet;
  const window = openWindowStatus(context, animated, settings.values);
  const onDraw = () => {
    const share = batchShare(tally);
    window.show(titleOf(run, share), places.pauseRemaining() > 0 ? 'paused' : (share ?? 'busy'));
  };
  const line = createBatchProgress({ stderr: streams.stderr, style, clock, animated, onDraw });
  const start = clock.monotonic();
  line.begin(() => {
    const [waiting, isStopping] = [places.pauseRemaining(), stop.aborted];
    const state = { waiting, isStopping, allowed: places.found() };
    const text = batchProgress({ ...tally, elapsed: clock.monotonic() - start }, state);
    const queued = left?.();
    return queued === undefined ? text : `${text} · ${count(queued)} left in the queue`;
  });
  return {
    ...line,
    end() {
      line.end();
      window.end();
    },
  };
}
