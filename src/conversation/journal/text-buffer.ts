import type { Clock } from '../../clock.ts';

/** Collects an answer's text, so that not every piece of it is a record of its own. */
export interface TextBuffer {
  add(answerId: string, text: string): void;
  /** Hands on what was collected, in order. */
  flush(): void;
}

/** Milliseconds: a kill costs half a second of text at the most. */
const interval = 400;
/** UTF-16 units: what comes fast is written sooner. */
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
