import type { Clock } from '../../clock.ts';

/** Joins the deltas of an answer, so that one record holds many. */
export interface TextBuffer {
  add(answerId: string, text: string): void;
  flush(): void;
}

/** Milliseconds: a killed process loses at most half a second of text. */
const interval = 400;
/** UTF-16 units: fast text is written sooner. */
const largest = 1 << 18;

export function createTextBuffer(
  clock: Clock,
  write: (answerId: string, text: string) => void,
): TextBuffer {
  let parts: string[] = [];
  let owner = '';
  let size = 0;
  let stop: AbortController | undefined;

  const flush = () => {
    stop?.abort('written');
    stop = undefined;
    if (size === 0) return;
    const text = parts.join('');
    parts = [];
    size = 0;
    write(owner, text);
  };
  const flushLater = async (signal: AbortSignal) => {
    await clock.sleep(interval, signal).catch(() => undefined);
    if (!signal.aborted) flush();
  };
  return {
    flush,
    add(answerId, text) {
      if (answerId !== owner) flush();
      owner = answerId;
      parts.push(text);
      size += text.length;
      if (size > largest) flush();
      else if (stop === undefined) {
        stop = new AbortController();
        void flushLater(stop.signal);
      }
    },
  };
}
