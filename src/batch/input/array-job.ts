import { parseShard, type Shard } from './select-items.ts';
import { isSet, type Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';

/** The variables in which a scheduler describes one job of an array. */
interface Scheduler {
  /** Number of this job. */
  readonly index: string;
  /** Values of `index` in a job outside an array. */
  readonly none?: readonly string[];
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
    none: ['0'],
    first: 1,
    last: 'LSB_JOBINDEX_END',
    step: 'LSB_JOBINDEX_STEP',
  },
  {
    index: 'SGE_TASK_ID',
    none: ['undefined'],
    first: 'SGE_TASK_FIRST',
    last: 'SGE_TASK_LAST',
    step: 'SGE_TASK_STEPSIZE',
  },
  { index: 'AWS_BATCH_JOB_ARRAY_INDEX', first: 0, count: 'AWS_BATCH_JOB_ARRAY_SIZE' },
];

const explicit = 'name the shard, as in --shard 2/8';

/** @throws Failure `usage` */
function readNumber(environment: Environment, name: string): number {
  const text = environment[name] ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const problem = text === '' ? 'is not set' : `is "${text}", not a whole number`;
  throw new Failure('usage', `--shard auto: ${name} ${problem}`, { hint: explicit });
}

/** The scheduler of this job. @throws Failure `usage` for none, and for several */
function findScheduler(environment: Environment): Scheduler {
  const [found, other] = schedulers.filter(
    ({ index, none = [] }) => isSet(environment, index) && !none.includes(environment[index] ?? ''),
  );
  if (found === undefined) {
    const names = schedulers.map(({ index }) => index).join(', ');
    throw new Failure('usage', `--shard auto: this is not an array job: none of ${names} is set`, {
      hint: explicit,
    });
  }
  if (other === undefined) return found;
  const message = `--shard auto: both ${found.index} and ${other.index} are set`;
  throw new Failure('usage', message, { hint: `unset one of them, or ${explicit}` });
}

/** The number of jobs in a regular array. @throws Failure `usage` */
function countOf(
  { index, count, last, step }: Scheduler,
  first: number,
  environment: Environment,
): { readonly count: number; readonly step: number } {
  // An array of one job may have the step 0.
  const width = step === undefined ? 1 : Math.max(1, readNumber(environment, step));
  const most = last === undefined ? undefined : readNumber(environment, last);
  const regular = most === undefined ? undefined : Math.floor((most - first) / width) + 1;
  const total = count === undefined ? regular : readNumber(environment, count);
  if (total === undefined) {
    throw new Failure('usage', `--shard auto: ${index} has no number of shards beside it`, {
      hint: 'add the number of jobs in the array, as in --shard auto/8',
    });
  }
  if (regular === undefined || regular === total) return { count: total, step: width };
  throw new Failure(
    'usage',
    `--shard auto: the array has ${total} jobs, which are not all numbers from ${first} to ${most}`,
    { hint: 'number the jobs without gaps, or add the number of shards, as in --shard auto/8' },
  );
}

/** @throws Failure `usage` */
function describedShard(scheduler: Scheduler, environment: Environment): Shard {
  const { first: start = 0 } = scheduler;
  const first = typeof start === 'number' ? start : readNumber(environment, start);
  const index = readNumber(environment, scheduler.index);
  const { count, step } = countOf(scheduler, first, environment);
  const number = (index - first) / step + 1;
  if (Number.isInteger(number) && number >= 1 && number <= count) return { number, count };
  throw new Failure(
    'usage',
    `--shard auto: ${scheduler.index} is ${index}, which is outside the array of ${count} jobs from ${first}`,
    { hint: explicit },
  );
}

/** Jobs may be numbered from 0 or from 1: the last number is then also the shard 0. @throws Failure `usage` */
function countedShard({ index: name }: Scheduler, count: number, environment: Environment): Shard {
  const index = readNumber(environment, name);
  if (index <= count) return { number: index === 0 ? count : index, count };
  throw new Failure('usage', `--shard auto/${count}: ${name} is ${index}, more than ${count}`, {
    hint: `number the jobs from 1 to ${count} or from 0 to ${count - 1}`,
  });
}

/**
 * @param text `2/8`; `auto`, as the scheduler describes it; or `auto/8`, where only the number of the job is from the
 *   scheduler
 * @throws Failure `usage`
 */
export function chooseShard(text: string, environment: Environment): Shard {
  const [, count = ''] = /^auto(?:\/(\d{1,9}))?$/.exec(text) ?? [];
  if (text !== 'auto' && Number(count) < 1) return parseShard(text);
  const scheduler = findScheduler(environment);
  return text === 'auto'
    ? describedShard(scheduler, environment)
    : countedShard(scheduler, Number(count), environment);
}
