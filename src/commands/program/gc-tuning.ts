/** Characters from which a text counts as long. */
const longText = 65_536;

/** V8's default growth factor of the young generation. */
const defaultGrowth = 2;

async function setGrowth(factor: number): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

export interface LimitOptions {
  /** Sum of the lengths from which the limit applies, default 65,536 characters; 0 applies it at once. */
  readonly from?: number;
  /** Loads code that is needed after the work: the compile cache refuses code that is loaded while the limit applies. */
  readonly prepare?: () => Promise<unknown>;
}

/**
 * Keeps V8's young generation small while `work` processes a long text, or many short ones. It would grow by tens of megabytes (by a hundred
 * on Node 24) for short-lived strings without being faster.
 * @param work calls `add` with the length of each text, or with another measure of it
 */
export async function limitYoungGeneration<Result>(
  work: (add: (length: number) => void) => Promise<Result>,
  { from = longText, prepare = () => Promise.resolve() }: LimitOptions = {},
): Promise<Result> {
  let total = 0;
  let limiting: Promise<void> | undefined;
  const add = (length: number) => {
    total += length;
    if (total >= from) limiting ??= prepare().then(() => setGrowth(1));
  };
  add(0);
  try {
    return await work(add);
  } finally {
    await limiting;
    // The compile cache depends on the flags at exit.
    if (limiting !== undefined) await setGrowth(defaultGrowth);
  }
}
