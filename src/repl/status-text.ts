// Texts shared by the transcript, line mode and the live region.

import type { AnswerActivity, ServiceFacts } from './state.ts';

/** `128K`, `1M`; numbers below 1000 in full. */
export function shortCount(value: number): string {
  if (value >= 1_000_000) return `${Number((value / 1_000_000).toFixed(1))}M`;
  if (value >= 10_000) return `${Math.round(value / 1000)}K`;
  if (value >= 1000) return `${(value / 1000).toFixed(1)}K`;
  return String(value);
}

/** `59 s`, `2 min 5 s`. */
export function durationText(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** The source of answers if it is not the service. */
export function sourceName({ isSandbox, isReplay }: ServiceFacts): string | undefined {
  if (isReplay === true) return 'replay';
  return isSandbox ? 'sandbox' : undefined;
}

/** Seconds without data after which an answer counts as stalled. */
const stallLength = 5;

/** Whole seconds since the last data of a started answer; undefined while it is not stalled. */
export function stalledSeconds({ phase, lastAt }: AnswerActivity, now: number): number | undefined {
  const seconds = Math.floor((now - lastAt) / 1000);
  return phase === 'streaming' && seconds >= stallLength ? seconds : undefined;
}
