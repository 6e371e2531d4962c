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
    void import('node:v8').then((v8) => v8.setFlagsFromString('--semi-space-growth-factor=1'));
  };
}
