import type { Admission } from '../../../batch/admission.ts';
import { itemsLeft, type Tally, timeLeft } from '../../../batch/tally.ts';
import type { SendingRun } from '../plan.ts';
import { openWindowStatus } from '../../../output/window-status.ts';
import { createStatusLine } from '../../../output/activity.ts';
import { count, moneyText, tokenText } from '../../../output/figures.ts';
import { jsonLine } from '../../../output/json-answer.ts';

/** A duration in at most two units: `45 s`, `3 min`, `2 h 5 min`. */
export function shortTime(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `48/s`, `4.8/s`, `29.4/min`; with what is allowed, `48 of 50/s allowed`. */
function speed(items: number, elapsed: number, allowed: number | undefined): string | undefined {
  // An earlier rate would vary too much.
  const rate = elapsed < 2000 || items === 0 ? undefined : items / (elapsed / 1000);
  const rates = [rate, allowed].filter((one) => one !== undefined);
  if (rates.length === 0) return undefined;
  const most = Math.max(...rates);
  const format = (one: number) =>
    most >= 10 ? count(Math.round(one)) : (most >= 1 ? one : one * 60).toFixed(1);
  const text = `${rates.map(format).join(' of ')}/${most >= 1 ? 's' : 'min'}`;
  return allowed === undefined ? text : `${text} allowed`;
}

function timeText(tally: Tally, elapsed: number): string | undefined {
  const left = timeLeft(tally, elapsed) ?? 0;
  if (left < 1000 || tally.answered + tally.failed < 10 || elapsed < 2000) return undefined;
  return left < 10_000 ? `${Math.ceil(left / 1000)} s left` : `${shortTime(left)} left`;
}

/**
 * The progress line of a batch: the most important parts first, because a narrow terminal cuts the end.
 * @param isStopping no further items are started
 */
export function batchProgress(
  tally: Tally,
  elapsed: number,
  admission: Admission,
  isStopping: boolean,
): string {
  const [waiting, allowed] = [admission.pauseRemaining(), admission.found()];
  const { total, already, answered, failed, tokens, costs } = tally;
  const done = count(already + answered + failed);
  const parts = [
    total === undefined ? `${done} done` : `${done} of ${count(total)}`,
    failed === 0 ? undefined : `${count(failed)} failed`,
    isStopping ? 'stopping' : undefined,
    waiting >= 1000 ? `rate limit, ${Math.ceil(waiting / 1000)} s` : undefined,
    speed(answered + failed, elapsed, allowed.perSecond),
    allowed.places === undefined ? undefined : `${count(allowed.places)} at once allowed`,
    timeText(tally, elapsed),
    tokens === 0 ? undefined : tokenText(tokens),
    costs.size === 0 ? undefined : moneyText(costs),
  ];
  return parts.filter((part) => part !== undefined).join(' · ');
}

/** The summary of a batch: `7 of 10 items answered (3 before) in 2.1 s, 1,204 tokens; 3 failed: 3 rate_limited`. */
export function batchOutcome(tally: Tally, elapsed: number): string {
  const { total, already, answered, failed, causes, tokens, costs } = tally;
  const whole = total === undefined ? '' : ` of ${count(total)}`;
  const before = already === 0 ? '' : ` (${count(already)} before)`;
  const used = tokens === 0 ? '' : `, ${tokenText(tokens)}`;
  const paid = costs.size === 0 ? '' : `, ${moneyText(costs)}`;
  const kinds = [...causes.values()].sort((one, other) => other.count - one.count);
  const words = kinds.map((cause) => `${count(cause.count)} ${cause.failure.kind}`).join(', ');
  const lost = failed === 0 ? '' : `; ${count(failed)} failed: ${words}`;
  const items = (total ?? already + answered) === 1 ? 'item' : 'items';
  return `${count(already + answered)}${whole} ${items} answered${before} in ${shortTime(elapsed)}${used}${paid}${lost}`;
}

/** The summary of results that were read, and how many items have none. */
export function collectedOutcome(tally: Tally, elapsed: number): string {
  const left = itemsLeft(tally) ?? 0;
  return `${batchOutcome(tally, elapsed)}${left === 0 ? '' : `; ${count(left)} without a result`}`;
}

/** The counts of a run, in JSON. */
export function countFields(tally: Tally, elapsed: number, left: number | undefined) {
  const done = tally.answered + tally.failed;
  return {
    elapsed_ms: Math.round(elapsed),
    items: {
      total: tally.total ?? null,
      answered_before: tally.already,
      answered: tally.answered,
      failed: tally.failed,
      left: left ?? null,
    },
    /** Items a second. */
    rate: elapsed > 0 ? Number(((done * 1000) / elapsed).toFixed(3)) : null,
    attempts: tally.attempts,
    tokens: {
      prompt: tally.promptTokens,
      completion: tally.completionTokens,
      total: tally.tokens,
    },
    /** The cost by currency; null where no price is known. */
    cost: tally.costs.size === 0 ? null : Object.fromEntries(tally.costs),
  };
}

/** Milliseconds between two changes of the line, and between two lines of `--progress-json`. */
const redrawing = 500;
const printing = 10_000;

/** Shows the progress as a line on standard error, as JSON lines, and in the window's title and tab. */
export function showProgress(run: SendingRun, admission: Admission, stop: AbortSignal) {
  const { context, presentation, tally, options, settings, command } = run;
  const { clock, streams } = context;
  const isQuiet = options.quiet === true || options.progressJson === true;
  const animated = presentation.animated && !isQuiet;
  const window = openWindowStatus(context, animated, settings.values);
  const line = createStatusLine(context, presentation);
  const start = clock.monotonic();
  const draw = () => {
    const text = batchProgress(tally, clock.monotonic() - start, admission, stop.aborted);
    const { total, queued, already, answered, failed } = tally;
    line.draw(queued === undefined ? text : `${text} · ${count(queued)} left in the queue`);
    const share = total ? ((already + answered + failed) / total) * 100 : undefined;
    const percent = share === undefined ? undefined : `${Math.floor(share)}%`;
    const shown = queued === undefined ? percent : `${count(queued)} left`;
    const title = shown === undefined ? command : `${shown} - ${command}`;
    window.show(title, admission.pauseRemaining() > 0 ? 'paused' : (share ?? 'busy'));
  };
  const print = () => {
    const elapsed = clock.monotonic() - start;
    const rest = timeLeft(tally, elapsed);
    const record = {
      type: 'progress',
      time: clock.date().toISOString(),
      ...countFields(tally, elapsed, itemsLeft(tally)),
      eta_seconds: rest === undefined ? null : Math.round(rest / 1000),
      paused_ms: Math.round(admission.pauseRemaining()),
    };
    void streams.stderr.write(jsonLine(record));
  };
  const endDrawing = animated ? clock.repeat(redrawing, draw) : undefined;
  const endPrinting = options.progressJson === true ? clock.repeat(printing, print) : undefined;
  return {
    /** Removes the line before other output; it is redrawn below. */
    clear: () => line.leave(false),
    /** Removes it for good. */
    end() {
      endDrawing?.();
      endPrinting?.();
      line.leave(false);
      window.end();
    },
  };
}
