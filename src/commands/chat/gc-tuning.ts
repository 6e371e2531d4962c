/** Characters of an answer from which it is a long one. */
const longAnswer = 65_536;

/** How much V8's space for young objects grows at a time where nobody says otherwise. */
const usualGrowth = 2;

async function setGrowth(factor: number): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

/** What a long answer needs of V8. */
export interface YoungGenerationLimit {
  /** To be called with the length of each text. */
  add(length: number): void;
  /** To be called when the answer has come: compiled code is kept for the flags there are at the end of the run. */
  release(): Promise<void>;
}

/**
 * Keeps V8's space for young objects small while a long answer passes: it would grow to tens of megabytes for text
 * that nobody keeps, and take no less time.
 */
export function limitYoungGeneration(): YoungGenerationLimit {
  let seen = 0;
  return {
    add(length) {
      const before = seen;
      seen += length;
      if (before < longAnswer && seen >= longAnswer) void setGrowth(1);
    },
    async release() {
      if (seen >= longAnswer) await setGrowth(usualGrowth);
    },
  };
}
