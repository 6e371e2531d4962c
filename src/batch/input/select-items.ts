import { fingerprint } from '../fingerprint.ts';
import type { InputItem } from './item.ts';
import { isSet, type Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';

/** Every `count`-th item, starting at item `number`, from 1. */
export interface Shard {
  readonly number: number;
  readonly count: number;
}

/** The variables in which a scheduler describes one job of an array. */
interface Scheduler {
  /** Number of this job. */
  readonly index: string;
  /** Value of `index` in a job outside an array. */
  readonly none?: string;
  /** Lowest number: a variable; or, if the scheduler has none, the number itself. */
  readonly first?: string | number;
  readonly last?: string;
  readonly step?: string;
  /** How many jobs the array has. */
  readonly count?: string;
}

/**
 * Sources: Slurm's job_array.html, the Kubernetes page "Indexed Job", the user guides of PBS Professional and Torque,
 * IBM's "Environment variables set for job execution", qsub(1) of Grid Engine, the AWS Batch page job_env_vars.
 */
const schedulers: readonly Scheduler[] = [
  {
    index: 'SLURM_ARRAY_TASK_ID',
    first: 'SLURM_ARRAY_TASK_MIN',
    last: 'SLURM_ARRAY_TASK_MAX',
    step: 'SLURM_ARRAY_TASK_STEP',
    count: 'SLURM_ARRAY_TASK_COUNT',
  },
  { index: 'JOB_COMPLETION_INDEX' },
  // PBS Professional and OpenPBS; Torque.
  { index: 'PBS_ARRAY_INDEX' },
  { index: 'PBS_ARRAYID' },
  {
    index: 'LSB_JOBINDEX',
    none: '0',
    first: 1,
    last: 'LSB_JOBINDEX_END',
    step: 'LSB_JOBINDEX_STEP',
  },
  {
    index: 'SGE_TASK_ID',
    none: 'undefined',
    first: 'SGE_TASK_FIRST',
    last: 'SGE_TASK_LAST',
    step: 'SGE_TASK_STEPSIZE',
  },
  { index: 'AWS_BATCH_JOB_ARRAY_INDEX', first: 0, count: 'AWS_BATCH_JOB_ARRAY_SIZE' },
];

/** @throws Failure `usage` */
function refuse(problem: string, hint = 'name the shard, as in --shard 2/8'): never {
  throw new Failure('usage', `--shard ${problem}`, { hint });
}

/**
 * @param text `2/8`; `auto`, as the scheduler describes it; or `auto/8`, where only the number of the job is from the
 *   scheduler
 * @throws Failure `usage`
 */
export function chooseShard(text: string, environment: Environment): Shard {
  const [, given, total = 0] = /^(auto|\d{1,9})(?:\/(0*[1-9]\d{0,8}))?$/.exec(text) ?? [];
  const fixed = Number(total);
  if (given !== 'auto') {
    const shard = { number: Number(given), count: fixed };
    if (shard.number >= 1 && shard.number <= shard.count) return shard;
    return refuse(
      `must be i/n with i from 1 to n, not "${text}"`,
      '--shard 2/8 takes the second of every eight items; --shard auto follows an array job',
    );
  }
  const [scheduler, other] = schedulers.filter(
    ({ index, none }) => isSet(environment, index) && environment[index] !== none,
  );
  if (scheduler === undefined) {
    const names = schedulers.map(({ index }) => index).join(', ');
    return refuse(`auto: this is not an array job: none of ${names} is set`);
  }
  const { index: name, first: start = 0, last, step, count: countName } = scheduler;
  if (other !== undefined) {
    const hint = 'unset one of them, or name the shard, as in --shard 2/8';
    return refuse(`auto: both ${name} and ${other.index} are set`, hint);
  }
  const read = (variable: string) => {
    const value = environment[variable] ?? '';
    if (/^\d{1,9}$/.test(value)) return Number(value);
    const problem = value === '' ? 'is not set' : `is "${value}", not a whole number`;
    return refuse(`auto: ${variable} ${problem}`);
  };
  const index = read(name);
  if (fixed > 0) {
    // Jobs may be numbered from 0 or from 1: the last number is then also the shard 0.
    if (index <= fixed) return { number: index === 0 ? fixed : index, count: fixed };
    return refuse(
      `auto/${fixed}: ${name} is ${index}, more than ${fixed}`,
      `number the jobs from 1 to ${fixed} or from 0 to ${fixed - 1}`,
    );
  }
  const first = typeof start === 'number' ? start : read(start);
  // An array of one job may have the step 0.
  const width = step === undefined ? 1 : Math.max(1, read(step));
  const most = last === undefined ? undefined : read(last);
  const regular = most === undefined ? undefined : Math.floor((most - first) / width) + 1;
  const count = countName === undefined ? regular : read(countName);
  if (count === undefined) {
    return refuse(
      `auto: ${name} has no number of shards beside it`,
      'add the number of jobs in the array, as in --shard auto/8',
    );
  }
  if (regular !== undefined && regular !== count) {
    refuse(
      `auto: the array has ${count} jobs, which are not all numbers from ${first} to ${most}`,
      'number the jobs without gaps, or add the number of shards, as in --shard auto/8',
    );
  }
  const number = (index - first) / width + 1;
  if (Number.isInteger(number) && number >= 1 && number <= count) return { number, count };
  return refuse(
    `auto: ${name} is ${index}, which is outside the array of ${count} jobs from ${first}`,
  );
}

/** @param index from 1 @param shard undefined has every item */
export function isInShard(index: number, shard: Shard | undefined): boolean {
  return shard === undefined || (index - 1) % shard.count === shard.number - 1;
}

/**
 * Chooses the `size` items with the lowest hashes. The same seed gives the same sample, and most of it even if items
 * were added at the end. Holds the items, so that the input is read once.
 * @param seed a whole number from 0
 */
export async function takeSample(
  items: AsyncIterable<InputItem>,
  { size, seed }: { readonly size: number; readonly seed: number },
) {
  let chosen: { readonly hash: string; readonly item: InputItem }[] = [];
  const drop = () => {
    chosen.sort((one, other) => (one.hash < other.hash ? -1 : 1));
    chosen = chosen.slice(0, size);
  };
  /** How many items the input has. */
  let total = 0;
  for await (const item of items) {
    total = item.index;
    chosen.push({ hash: fingerprint(`${seed} ${item.index}`), item });
    if (chosen.length >= 2 * size) drop();
  }
  drop();
  const sample = chosen.map(({ item }) => item);
  return { items: sample.sort((one, other) => one.index - other.index), total };
}
