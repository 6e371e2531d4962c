/** Maximum buffered texts, and their UTF-16 units. */
const maxTexts = 10_000;
const maxUnits = 1 << 25;

/** Writes numbered texts in order, whatever the order in which they are put. */
export function createOrderedOutput(write: (text: string) => Promise<void> | undefined) {
  const buffered = new Map<number, string>();
  let units = 0;
  let next = 0;
  let writing: Promise<void> | undefined;
  let wake: (() => void) | undefined;
  const isFull = () => buffered.size >= maxTexts || units >= maxUnits;
  return {
    /** Uses each number from 0 once. Returns a promise while the reader is slow. */
    put(number: number, text: string): Promise<void> | undefined {
      buffered.set(number, text);
      units += text.length;
      let ready = '';
      for (let found = buffered.get(next); found !== undefined; found = buffered.get(next)) {
        ready += found;
        units -= found.length;
        buffered.delete(next);
        next += 1;
      }
      if (ready !== '') writing = write(ready);
      if (!isFull()) wake?.();
      return writing;
    },
    /** A promise while the buffer is full; resolves when it has room. */
    room(): Promise<void> | undefined {
      if (!isFull()) return undefined;
      return new Promise((resolve) => {
        wake = resolve;
      });
    },
    /** Writes the buffered texts, skipping missing numbers. */
    end(): Promise<void> | undefined {
      const rest = [...buffered].sort(([one], [other]) => one - other).map(([, text]) => text);
      buffered.clear();
      return write(rest.join(''));
    },
  };
}
