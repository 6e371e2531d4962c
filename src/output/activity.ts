import { startTimer } from '../clock.ts';
import type { RetryScheduled, ChatEvent } from '../client/events.ts';
import { sanitizeLine, createSanitizer } from '../terminal/safety/sanitizer.ts';
import type { Context, GlobalOptions, Presentation, StartedRun } from '../run.ts';
import { displayWidth, truncateToWidth } from '../terminal/text/width.ts';
import { refusalNotice, thoughtNotice } from './notices.ts';

/** A line that is overwritten in place, with spaces instead of escape codes, so it also works without them. */
export function createStatusLine({ streams: { stderr } }: Context, { noticeStyle }: Presentation) {
  let width = 0;
  return {
    /** Replaces the line, which is cut at the terminal's width. */
    draw(text: string): void {
      const shown = truncateToWidth(text, stderr.columns() - 1);
      const before = width;
      width = displayWidth(shown);
      void stderr.write(`\r${noticeStyle.dim(shown)}${' '.repeat(Math.max(0, before - width))}`);
    },
    /** Removes the line, or keeps it and continues below. */
    leave(keep: boolean): void {
      if (width > 0) void stderr.write(keep ? '\n' : `\r${' '.repeat(width)}\r`);
      width = 0;
    },
  };
}

/**
 * The delay to show for a retry, in milliseconds: the service's `Retry-After`, without the jitter that natter adds, else
 * the scheduled delay.
 */
export function expectedDelay({ delay, cause }: RetryScheduled): number {
  const requested = cause.retryAfterSeconds;
  return requested === undefined ? delay : Math.min(delay, requested * 1000);
}

/** Most answers start sooner; a line that flashes would distract. */
const quietStart = 400;

const inSeconds = (time: number) => `${Math.ceil(time / 1000)} s`;

/** `retry 1 of 4 in 3 s: …`. @param waited milliseconds since the retry was scheduled */
export function retryText(event: RetryScheduled, waited: number): string {
  const cause = sanitizeLine(event.cause.message);
  const delay = expectedDelay(event);
  const sent = delay > 0 ? `after ${inSeconds(delay)}` : 'now';
  const time = delay > waited ? `in ${inSeconds(delay - waited)}` : sent;
  // The cause comes last: a narrow terminal cuts it first.
  return `retry ${event.retry} of ${event.retries} ${time}: ${cause}`;
}

/** Shows waits and retries on standard error: a rewritten line on a terminal, else one line for each retry. */
export function createActivity({ context, presentation, options }: StartedRun) {
  const { clock, streams } = context;
  const { animated } = presentation;
  const quiet = options.quiet === true;
  const line = createStatusLine(context, presentation);
  let stopTicking = (): void => {};
  let mode: 'idle' | 'waiting' | 'retry' = 'idle';

  const enter = (next: typeof mode) => {
    stopTicking();
    line.leave(mode === 'retry');
    mode = next;
  };
  /** Calls `show` after `delay` milliseconds, then after each delay that it returns, until that is undefined. */
  const tick = (delay: number | undefined, show: () => number | undefined): void => {
    if (delay !== undefined) stopTicking = startTimer(clock, delay, () => tick(show(), show));
  };
  return {
    /** Removes the waiting line, or ends a retry line, before other output. */
    settle: () => enter('idle'),
    waiting(model: string): void {
      if (quiet || !animated || mode === 'waiting') return;
      enter('waiting');
      const start = clock.monotonic();
      tick(quietStart, () => {
        const waited = Math.floor((clock.monotonic() - start) / 1000);
        const time = waited > 0 ? ` · ${waited} s` : '';
        line.draw(`waiting for ${sanitizeLine(model)}${time} · Ctrl+C stops`);
        return 1000;
      });
    },
    retry(event: RetryScheduled): void {
      if (quiet) return;
      if (!animated) {
        void streams.stderr.write(`natter: ${retryText(event, 0)}\n`);
        return;
      }
      enter('retry');
      const start = clock.monotonic();
      const show = () => {
        const waited = clock.monotonic() - start;
        line.draw(`natter: ${retryText(event, waited)}`);
        const remaining = expectedDelay(event) - waited;
        return remaining <= 0 ? undefined : Math.min(1000, remaining);
      };
      tick(show(), show);
    },
  };
}

/** Shows waits, retries, reasoning (with `--reasoning`) and refusals on standard error. */
export function createProgressReporter(
  shown: StartedRun<GlobalOptions & { readonly reasoning?: boolean }>,
  model: string,
) {
  const { stderr } = shown.context.streams;
  const { notices, noticeStyle: style } = shown.presentation;
  const showReasoning = shown.options.reasoning === true && shown.options.quiet !== true;
  const activity = createActivity(shown);
  const sanitizer = createSanitizer();
  let isLineOpen = false;
  let refusal = '';
  let hidesThought = false;
  activity.waiting(model);
  const settle = () => {
    activity.settle();
    if (isLineOpen) void stderr.write('\n');
    isLineOpen = false;
  };
  return {
    event(event: ChatEvent): void {
      if (event.type === 'retry-scheduled') activity.retry(event);
      if (event.type === 'answer-started') activity.waiting(model);
      if (event.type === 'refusal-received') refusal += event.text;
      if (event.type === 'text-received' || event.type === 'answer-finished') settle();
      if (event.type !== 'reasoning-received') return;
      if (!showReasoning) {
        hidesThought ||= event.received !== undefined;
        return;
      }
      activity.settle();
      // Reasoning is dim and on separate lines.
      const clean = sanitizer.write(event.text);
      if (clean === '') return;
      isLineOpen = !clean.endsWith('\n');
      void stderr.write(style.dim(clean));
    },
    /** Call when the answer has ended, complete or cut. */
    end: settle,
    /** Reports what the user should know about the answer; call when its text is printed, because both may go to one file. */
    report: (): void => {
      if (hidesThought) notices.notice(thoughtNotice);
      if (refusal !== '') notices.warning(refusalNotice(refusal));
    },
  };
}
