import { setFlagsFromString } from 'node:v8';

/** A flag of V8 with the value for much work, and its usual one. */
type Flag = readonly [busy: string, usual: string];

/**
 * Of V8 11 (Node 20), where they save a tenth of a batch's CPU; later ones would take more, or the same
 * (docs/decisions/0026-batch-speed.md). V8 collects alone, because the helpers of a collection cost more than few
 * survivors are worth; and it optimizes sooner, because it has no compiler between its first and its last.
 */
const tuned: readonly Flag[] = [
  ['--no-parallel-scavenge', '--parallel-scavenge'],
  ['--interrupt-budget=16384', '--interrupt-budget=67584'],
];

/**
 * For work in many functions that each run a few times: V8 would take longer to optimize them together than it saves
 * (docs/decisions/0025-gateway.md).
 */
const lessInlining: Flag = [
  '--max-inlined-bytecode-size-cumulative=200',
  '--max-inlined-bytecode-size-cumulative=920',
];

interface TuningOptions {
  /** Calls of `add` until V8 is tuned: when the code for the work has been loaded, because the compile cache depends on the flags. */
  readonly from: number;
  /** The work is in many functions, none of which takes much of the time; default false. */
  readonly isSpread?: boolean;
  readonly setFlag?: (flag: string) => void;
  /** Of V8. */
  readonly version?: string;
}

/** Tunes V8 for many short pieces of work, until `work` ends. @param work calls `add` for each piece */
export async function tuneForMany<Result>(
  work: (add: () => void) => Promise<Result>,
  {
    from,
    isSpread = false,
    setFlag = setFlagsFromString,
    version = process.versions.v8,
  }: TuningOptions,
): Promise<Result> {
  const wanted = isSpread ? [...tuned, lessInlining] : tuned;
  const flags = version.startsWith('11.') ? wanted : [];
  let count = 0;
  const add = () => {
    count += 1;
    if (count === from) for (const [busy] of flags) setFlag(busy);
  };
  try {
    return await work(add);
  } finally {
    // The compile cache depends on the flags at exit, too.
    if (count >= from) for (const [, usual] of flags) setFlag(usual);
  }
}
