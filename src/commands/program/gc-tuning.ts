/** Characters from which an answer counts as long. */
const longAnswer = 65_536;

/** V8's default growth factor of the young generation. */
const usualGrowth = 2;

async function setGrowth(factor: number): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

/** Limits V8 memory during a long answer. */
export interface YoungGenerationLimit {
  /** Call with the length of each text. */
  add(length: number): void;
  /** Call at the end of the answer: the compile cache depends on the flags at exit. */
  release(): Promise<void>;
}

/**
 * Keeps V8's young generation small during a long answer: it would grow by tens of megabytes for short-lived text
 * without being faster.
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

/** Runs work on a large text with a small young generation, which Node 24 would grow by a hundred megabytes. */
export async function withLimitedYoungGeneration<Result>(
  work: () => Promise<Result>,
): Promise<Result> {
  await setGrowth(1);
  try {
    return await work();
  } finally {
    await setGrowth(usualGrowth);
  }
}
