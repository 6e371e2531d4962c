/** Characters from which a text counts as long. */
const longText = 65_536;

interface Growth {
  /** Factor of the young generation. */
  readonly young: number;
  /** Percent of the old generation between two collections; 0: V8 decides. */
  readonly old: number;
}

const defaultGrowth: Growth = { young: 2, old: 0 };

async function setGrowth({ young, old }: Growth, from: Growth): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString(`--semi-space-growth-factor=${young}`);
  if (old !== from.old) setFlagsFromString(`--heap-growing-percent=${old}`);
}

export interface LimitOptions {
  /** Sum of the lengths from which the limit applies, default 65,536 characters; 0 applies it at once. */
  readonly from?: number;
  /** Percent by which the old generation grows between two collections; by default, V8 decides. */
  readonly oldGrowth?: number;
}

/**
 * Keeps V8's young generation small while `work` processes a long text, or many short ones. It would grow by tens of
 * megabytes (by a hundred on Node 24) for short-lived strings without being faster.
 * @param work calls `add` with the length of each text, or with another measure of it
 */
export async function limitHeapGrowth<Result>(
  work: (add: (length: number) => void) => Promise<Result>,
  { from = longText, oldGrowth = 0 }: LimitOptions = {},
): Promise<Result> {
  const limits: Growth = { young: 1, old: oldGrowth };
  let total = 0;
  let limiting: Promise<void> | undefined;
  const add = (length: number) => {
    total += length;
    if (total >= from) limiting ??= setGrowth(limits, defaultGrowth);
  };
  add(0);
  try {
    return await work(add);
  } finally {
    await limiting;
    // The compile cache depends on the flags at exit.
    if (limiting !== undefined) await setGrowth(defaultGrowth, limits);
  }
}
