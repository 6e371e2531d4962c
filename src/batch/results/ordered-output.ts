/** Puts texts that come in any order out in the order of their numbers. */
export interface OrderedOutput {
  /** Each number from 0 comes once. A promise is returned while the reader is slow. */
  put(number: number, text: string): Promise<void> | undefined;
  /** A promise while too much is held back for one that has not come; it resolves when that has. */
  room(): Promise<void> | undefined;
  /** Puts out what is held back for one that never came. */
  end(): Promise<void> | undefined;
}

/** Texts, and their UTF-16 units, that may be held back. */
const mostTexts = 10_000;
const mostUnits = 1 << 25;

export function createOrderedOutput(
  write: (text: string) => Promise<void> | undefined,
): OrderedOutput {
  const held = new Map<number, string>();
  let units = 0;
  let next = 0;
  let writing: Promise<void> | undefined;
  let wake: (() => void) | undefined;
  const isFull = () => held.size >= mostTexts || units >= mostUnits;
  return {
    put(number, text) {
      held.set(number, text);
      units += text.length;
      let ready = '';
      for (let found = held.get(next); found !== undefined; found = held.get(next)) {
        ready += found;
        units -= found.length;
        held.delete(next);
        next += 1;
      }
      if (ready !== '') writing = write(ready);
      if (!isFull()) wake?.();
      return writing;
    },
    room() {
      if (!isFull()) return undefined;
      return new Promise((resolve) => {
        wake = resolve;
      });
    },
    end() {
      const rest = [...held].sort(([one], [other]) => one - other).map(([, text]) => text);
      held.clear();
      return write(rest.join(''));
    },
  };
}
