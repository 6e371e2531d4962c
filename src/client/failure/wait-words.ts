const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A wait in words, its two largest units: `2 minutes`, `1 hour 5 minutes`. Whole seconds, rounded up. */
export function waitInWords(seconds: number): string {
  const words: string[] = [];
  let rest = Math.max(1, Math.ceil(seconds));
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    rest %= size;
    if (count > 0) words.push(counted(count, unit));
    else if (words.length > 0) break;
    if (words.length === 2) break;
  }
  return words.join(' ');
}

/** A limit as it was set, exactly, in its largest whole unit: `500 milliseconds`, `1.5 seconds`, `90 seconds`. */
export function limitInWords(milliseconds: number): string {
  if (milliseconds < 1000) return counted(milliseconds, 'millisecond');
  const whole = units.find(([, size]) => milliseconds % (size * 1000) === 0);
  const [unit, size] = whole ?? (['second', 1] as const);
  return counted(milliseconds / 1000 / size, unit);
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Local clock time that many seconds from `now`, with the date when it is a day away or more; ISO order. */
export function clockTimeAfter(seconds: number, now: Date): string {
  const then = new Date(now.getTime() + seconds * 1000);
  const time = [then.getHours(), then.getMinutes(), then.getSeconds()].map(twoDigits).join(':');
  if (seconds < 86_400) return time;
  return `${then.getFullYear()}-${twoDigits(then.getMonth() + 1)}-${twoDigits(then.getDate())} ${time}`;
}

function twoDigits(part: number): string {
  return String(part).padStart(2, '0');
}
