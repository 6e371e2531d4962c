const millisecondsPerUnit: ReadonlyMap<string, number> = new Map([
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
]);

/**
 * Milliseconds of `500ms`, `30s`, `1.5m`, `1h`, or of a plain number, which is seconds; undefined for
 * anything else and for numbers beyond exact integers.
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(?<amount>\d+(?:\.\d+)?)\s*(?<unit>ms|s|m|h)?$/i.exec(text.trim());
  const size = millisecondsPerUnit.get(match?.groups?.['unit']?.toLowerCase() ?? 's');
  if (match === null || size === undefined) return undefined;
  const milliseconds = Math.round(Number(match.groups?.['amount']) * size);
  return Number.isSafeInteger(milliseconds) ? milliseconds : undefined;
}

/** The shortest exact text that `parseDuration` reads back: `10m`, `90s`, `500ms`, `0`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0';
  for (const [unit, size] of millisecondsPerUnit) {
    if (milliseconds % size === 0) return `${milliseconds / size}${unit}`;
  }
  return `${milliseconds}ms`;
}
