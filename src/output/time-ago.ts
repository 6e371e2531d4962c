/** Milliseconds of each unit, the largest first. */
const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** Days after which the date is shown instead. */
const maxDays = 14;

/** `just now`, `5 minutes ago`, `3 days ago`, and the date if it is more than two weeks ago. */
export function timeAgo(time: Date, now: Date): string {
  const age = now.getTime() - time.getTime();
  for (const [unit, length] of units) {
    const count = Math.floor(age / length);
    if (unit === 'day' && count > maxDays) return time.toISOString().slice(0, 10);
    if (count > 0) return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
  }
  return 'just now';
}
