import type { Context } from '../program/context.ts';

/** Identifies a run in the ledger, without the name of a file: `20261122-152314-k3f9`. */
export function runId({ clock, random }: Context): string {
  const time = clock.date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const suffix = Math.floor(random() * 36 ** 4).toString(36);
  return `${time}-${suffix.padStart(4, '0')}`;
}
