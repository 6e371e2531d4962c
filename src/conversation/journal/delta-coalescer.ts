import { startTimer, type Clock } from '../../clock.ts';
import type { DeltaRecord } from './records.ts';

/** Joins the deltas of each answer, so that one record holds many. */
export interface DeltaCoalescer {
  add(delta: DeltaRecord): void;
  /** Writes all joined deltas now, in one call. */
  flush(): void;
}

/** Milliseconds: a killed process loses at most half a second of text. */
const flushInterval = 400;
/** UTF-16 units: fast text is written sooner. */
const maxSize = 1 << 18;

export function createDeltaCoalescer(
  clock: Clock,
  write: (...records: readonly DeltaRecord[]) => void,
): DeltaCoalescer {
  const texts = new Map<string, { readonly first: DeltaRecord; readonly parts: string[] }>();
  let size = 0;
  let stopTimer: (() => void) | undefined;

  const flush = () => {
    stopTimer?.();
    stopTimer = undefined;
    const records = [...texts.values()].map(({ first, parts }) => ({
      ...first,
      text: parts.join(''),
    }));
    texts.clear();
    size = 0;
    if (records.length > 0) write(...records);
  };
  return {
    flush,
    add(delta) {
      const key = `${delta.type} ${delta.turn}`;
      const known = texts.get(key);
      if (known === undefined) texts.set(key, { first: delta, parts: [delta.text] });
      else known.parts.push(delta.text);
      size += delta.text.length;
      if (size > maxSize) flush();
      else stopTimer ??= startTimer(clock, flushInterval, flush);
    },
  };
}
