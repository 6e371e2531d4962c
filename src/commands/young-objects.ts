// V8's space for young objects, by the one flag of it that counts after the start: how fast it grows.

async function setGrowth(factor: number): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

/**
 * Lets the space grow at once from 1 MB to 8: what a conversation's first frame makes is not copied twice, nor does
 * it grow old and bring on a collection of everything.
 */
export const growYoungObjects = (): Promise<void> => setGrowth(8);

/** Characters of an answer from which it is a long one. */
const longAnswer = 65_536;

/**
 * Keeps V8's space for young objects small while a long answer passes: it would grow to tens of megabytes for text
 * that nobody keeps, and take no less time. To be called with the length of each text.
 */
export function createYoungObjectLimit(): (length: number) => void {
  let seen = 0;
  return (length) => {
    const before = seen;
    seen += length;
    if (before >= longAnswer || seen < longAnswer) return;
    void setGrowth(1);
  };
}
