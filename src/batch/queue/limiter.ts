/** At most `max` jobs in each window of `duration` milliseconds. */
export interface RateWindow {
  readonly max: number;
  readonly duration: number;
}

/**
 * Windows of about a second, because a whole minute's jobs would start at once. A rate below one a second has one job in
 * each window.
 */
export function rateWindow(perMinute: number): RateWindow {
  const max = Math.max(1, Math.round(perMinute / 60));
  return { max, duration: Math.ceil((max * 60_000) / perMinute) };
}
