// Days and longer periods of the local time zone.

/** Writes the local day: `2026-11-22`. */
export function localDay(date: Date): string {
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

/** Returns local midnight at the start of a day, `days` days later or earlier. */
function startOfDay(date: Date, days = 0): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
}

export type Period = 'day' | 'week' | 'month';

/** Returns the local time at which the period of `now` began; weeks begin on Monday. */
export function startOfPeriod(period: Period, now: Date): Date {
  if (period === 'day') return startOfDay(now);
  if (period === 'week') return startOfDay(now, -((now.getDay() + 6) % 7));
  return new Date(now.getFullYear(), now.getMonth(), 1);
}

/** Returns the local time at which the period after that of `now` begins. */
export function endOfPeriod(period: Period, now: Date): Date {
  if (period === 'day') return startOfDay(now, 1);
  if (period === 'week') return startOfDay(startOfPeriod(period, now), 7);
  return new Date(now.getFullYear(), now.getMonth() + 1, 1);
}

const hour = 3_600_000;

/**
 * Reads the start of a span: `7d` is today and the six days before, `2w` 14 days, `12h` the last 12 hours; `today`,
 * `2026-11-01` and `2026-11` begin at local midnight. Undefined for any other text.
 */
export function parseSince(text: string, now: Date): Date | undefined {
  if (text === 'today') return startOfDay(now);
  const [, digits = '', unit = ''] = /^([1-9]\d{0,3})([hdw])$/.exec(text) ?? [];
  const count = Number(digits);
  if (unit === 'h') return new Date(now.getTime() - count * hour);
  if (unit !== '') return startOfDay(now, 1 - count * (unit === 'w' ? 7 : 1));
  const [, year = '', month = '', day = '1'] = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(text) ?? [];
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  return year !== '' && date.getMonth() === Number(month) - 1 ? date : undefined;
}
