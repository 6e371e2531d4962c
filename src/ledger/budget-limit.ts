import { startOfDay } from './local-time.ts';

export type Period = 'day' | 'week' | 'month';

/** The most that requests may use in a period. */
export interface BudgetLimit {
  readonly amount: number;
  /** An ISO 4217 code; undefined for tokens. */
  readonly currency: string | undefined;
  readonly period: Period;
}

const units: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9 };

/** @param text a value of the setting `budget`, such as `2M/day` or `5usd/week` */
export function parseBudget(text: string): BudgetLimit {
  const [, digits = '', unit = '', period = 'day'] =
    /^([\d.]+)\s*([a-z]*)\s*\/\s*([a-z]+)$/.exec(text.trim().toLowerCase()) ?? [];
  const factor = units[unit];
  return {
    amount: Number(digits) * (factor ?? 1),
    currency: factor === undefined ? unit.toUpperCase() : undefined,
    period: period as Period,
  };
}

/** The local time at which the period of `now` began; weeks begin on Monday. */
export function startOfPeriod(period: Period, now: Date): Date {
  if (period === 'day') return startOfDay(now);
  if (period === 'week') return startOfDay(now, -((now.getDay() + 6) % 7));
  return new Date(now.getFullYear(), now.getMonth(), 1);
}

/** The local time at which the period after that of `now` begins. */
export function endOfPeriod(period: Period, now: Date): Date {
  if (period === 'day') return startOfDay(now, 1);
  if (period === 'week') return startOfDay(startOfPeriod(period, now), 7);
  return new Date(now.getFullYear(), now.getMonth() + 1, 1);
}
