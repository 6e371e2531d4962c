import type { TableLayout } from './table.ts';

export interface BarLayout extends TableLayout {
  /** False draws bars of `#`. */
  readonly unicode: boolean;
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of at least the smallest step, if there is anything to show. */
export function bar(part: number, whole: number, room: number, unicode: boolean): string {
  if (part === 0) return '';
  const length = (part / whole) * room;
  if (!unicode) return '#'.repeat(Math.max(1, Math.round(length)));
  const steps = Math.max(1, Math.round(length * 8));
  return '█'.repeat(Math.floor(steps / 8)) + (eighths[steps % 8] ?? '');
}
