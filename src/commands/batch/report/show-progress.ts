import type { Places } from '../../../batch/limits/places.ts';
import type { Tally } from '../../../batch/tally.ts';
import {
  type BatchProgress,
  batchProgress,
  batchShare,
  createBatchProgress,
} from './batch-progress.ts';
import { count } from '../../../output/figures.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import { openWindowStatus } from '../../print/window-status.ts';
import type { GlobalOptions } from '../../program/global-options.ts';
import type { Run } from '../../program/run.ts';
import type { ReportOptions } from './reporting.ts';

/** A run of a command. */
export interface ShownRun extends Run<GlobalOptions & ReportOptions> {
  /** What the title of the window names: `natter batch`. */
  readonly command: string;
  readonly settings: ResolvedSettings;
  readonly tally: Tally;
  /** Items without a result in a queue; undefined if unknown. */
  readonly left?: () => number | undefined;
}

function titleOf({ command, left }: ShownRun, share: number | undefined): string {
  const queued = left?.();
  if (queued !== undefined) return `${count(queued)} left - ${command}`;
  return share === undefined ? command : `${Math.floor(share)}% - ${command}`;
}

/** Shows the progress on standard error, and in the window's title and tab. */
export function showProgress(run: ShownRun, places: Places, stop: AbortSignal): BatchProgress {
  const { context, presentation, tally, options, settings, left } = run;
  const { clock, streams } = context;
  const { noticeStyle: style } = presentation;
  const isQuiet = options.quiet === true || options.progressJson === true;
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
