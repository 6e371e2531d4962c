const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Writes seconds in their two largest units, rounded up to whole seconds: `2 minutes`, `1 hour 5 minutes`. */
export function formatWait(seconds: number): string {
  let rest = Math.max(1, Math.ceil(seconds));
  const largest = units.findIndex(([, size]) => rest >= size);
  const words = units.slice(largest, largest + 2).flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return count === 0 ? [] : [plural(count, unit)];
  });
  return words.join(' ');
}

/** Writes a limit exactly, in its largest whole unit: `500 milliseconds`, `1.5 seconds`, `90 seconds`. */
export function formatLimit(milliseconds: number): string {
  if (milliseconds < 1000) return plural(milliseconds, 'millisecond');
  const whole = units.find(([, size]) => milliseconds % (size * 1000) === 0);
  const [unit, size] = whole ?? (['second', 1] as const);
  return plural(milliseconds / 1000 / size, unit);
}

function plural(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Writes the local time that many seconds after `now`, in ISO order; with the date if that is a day or more. */
export function localTimeAfter(seconds: number, now: Date): string {
  const then = new Date(now.getTime() + seconds * 1000);
  const time = then.toTimeString().slice(0, 8);
  if (seconds < 86_400) return time;
  const local = new Date(then.getTime() - then.getTimezoneOffset() * 60_000);
  return `${local.toISOString().slice(0, 10)} ${time}`;
}
