import { Failure } from '../../../failure.ts';
import { parseDuration } from '../../../settings/value-types.ts';

/** When a group of lines is complete; `Infinity` without a limit. */
export interface GroupLimits {
  readonly lines: number;
  /** After its first line. */
  readonly milliseconds: number;
  readonly bytes: number;
}

const bytesPerUnit: ReadonlyMap<string, number> = new Map([
  ['kb', 1000],
  ['mb', 1_000_000],
]);

/** The most text that one group has. */
export const maxGroupBytes = 1_000_000;

function parseLimit(text: string): Partial<GroupLimits> | undefined {
  const lines = /^(?<lines>\d{1,9})(?:l|lines?)$/i.exec(text)?.groups?.['lines'];
  if (lines !== undefined) return { lines: Number(lines) };
  const { amount, unit = '' } = /^(?<amount>\d{1,6})(?<unit>kb|mb)$/i.exec(text)?.groups ?? {};
  if (amount !== undefined) {
    const bytes = Number(amount) * (bytesPerUnit.get(unit.toLowerCase()) ?? 1);
    return bytes <= maxGroupBytes ? { bytes } : undefined;
  }
  const milliseconds = /[a-z]$/i.test(text) ? parseDuration(text) : undefined;
  return milliseconds === undefined ? undefined : { milliseconds };
}

/** @param text `200l`, `30s`, `64kb`, or several of them with commas @throws Failure `usage` */
export function parseGroupLimits(text: string): GroupLimits {
  const limits = { lines: Infinity, milliseconds: Infinity, bytes: maxGroupBytes };
  for (const part of text.split(',')) {
    const limit = parseLimit(part.trim());
    const [value = 0] = Object.values(limit ?? {});
    if (limit === undefined || value === 0) {
      throw new Failure(
        'usage',
        `--every must be lines, a time or a size up to 1mb, such as 200l, 30s, 64kb or 200l,30s`,
        { hint: 'for example: tail -f app.log | natter --every 200l,30s "flag anomalies"' },
      );
    }
    Object.assign(limits, limit);
  }
  return limits;
}
