// The script of docs/batch.md on a real Slurm: an array of four, one task sent to the other node before its time
// limit, a node that fails, and exit codes that are and are not queued again.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { missingForSlurm, startCluster } from './slurm-cluster.js';
import { until } from './place.js';

const shards = 4;
const items = 480;
const concurrency = 2;

const guide = readFileSync('docs/batch.md', 'utf8');
/** The script of the guide, slowed down so that there is time to interrupt it. */
const guideScript = /```bash.*\n(#!\/bin\/bash\n#SBATCH[^]*?)```/
  .exec(guide)[1]
  .replace('natter batch', `natter batch --concurrency ${concurrency}`);

const ended = ({ JobState: state }) => !['PENDING', 'RUNNING', 'COMPLETING'].includes(state);

function submit(place, cluster, script, ...options) {
  writeFileSync(place.path('batch.sh'), script);
  const id = cluster.command('sbatch', '--parsable', ...options, 'batch.sh');
  const describe = () => JSON.stringify(cluster.jobs(id).map((job) => [job.JobId, job.JobState]));
  const end = () => until(() => cluster.jobs(id).every(ended), describe);
  const log = (task) => {
    const file = place.path(`slurm-${id}_${task}.out`);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  return { id, end, log, describe };
}

const tasks = Array.from({ length: shards }, (_, index) => String(index + 1));
const pieceOf = (task) => `piece-${task}.jsonl`;

/** Ends a task of the first node as before its time limit. It is queued again, and can only start on the other one. */
async function moveTask(place, cluster, job) {
  const [first, second] = cluster.nodes;
  const jobs = () => cluster.jobs(job.id);
  const moved = jobs().find(({ NodeList: node }) => node === first).ArrayTaskId;
  cluster.command('scontrol', 'update', `nodename=${first}`, 'state=drain', 'reason=test');
  cluster.command('scancel', '--signal=USR1', `${job.id}_${moved}`);
  const hasMoved = ({ ArrayTaskId: task, Restarts: times, NodeList: node }) =>
    task === moved && times === '1' && node === second;
  await until(() => jobs().some(hasMoved), job.describe);
  assert.match(job.log(moved), /stopped by SIGUSR1: \d+ of 120 items answered/);
  assert.equal(place.service.repeats(), 0, 'a drained task repeats no prompt');
  const before = place.results(pieceOf(moved)).length;
  await until(() => place.results(pieceOf(moved)).length > before, job.describe);
  cluster.command('scontrol', 'update', `nodename=${first}`, 'state=resume');
  return `task ${moved} was queued again after SIGUSR1, and resumed on ${second}`;
}

/** Ends the second node, and waits for the job. @returns how many tasks the node ran */
async function crashNode(cluster, job) {
  const [, second] = cluster.nodes;
  const isLost = ({ NodeList: node, JobState: state }) => node === second && state === 'RUNNING';
  const lost = cluster.jobs(job.id).filter(isLost).length;
  assert.ok(lost > 0, job.describe());
  cluster.crash(second);
  await job.end();
  return lost;
}

async function tryArray(place, cluster) {
  const job = submit(place, cluster, guideScript, `--array=1-${shards}`);
  const isUnderWay = (task) => place.results(pieceOf(task)).length >= 4;
  await until(() => tasks.every(isUnderWay), job.describe);
  const moved = await moveTask(place, cluster, job);
  const lost = await crashNode(cluster, job);
  const states = cluster.jobs(job.id).map(({ JobState: state }) => state);
  assert.deepEqual(new Set(states), new Set(['COMPLETED']));
  const repeated = place.service.repeats();
  assert.ok(repeated <= lost * concurrency, `${repeated} prompts were repeated`);
  cluster.command('natter', 'batch', 'merge', ...tasks.map(pieceOf), '-o', 'all.jsonl');
  const contents = place.results('all.jsonl').map(({ content }) => content);
  assert.deepEqual(contents, place.prompts);
  return `${moved}; ${lost} tasks survived a failed node; ${items} of ${items} items answered once; ${repeated} prompts in flight were sent again`;
}

const head = '#!/bin/bash\n#SBATCH --requeue --open-mode=append\n';
const run = 'srun natter batch prompts.txt --shard auto';

async function tryRequeueExit(place, cluster) {
  cluster.configure('RequeueExit=75');
  cluster.command('scontrol', 'reconfigure');
  const words = '--limit 12 --concurrency 1 --stop-after 1s -o "short-$SLURM_ARRAY_TASK_ID.jsonl"';
  const job = submit(place, cluster, `${head}${run} ${words}\n`, '--array=0-1');
  await job.end();
  const finished = cluster.jobs(job.id);
  assert.ok(finished.every((task) => task.JobState === 'COMPLETED' && Number(task.Restarts) > 0));
  assert.equal([0, 1].flatMap((task) => place.results(`short-${task}.jsonl`)).length, 12);
  const restarts = finished.map((task) => task.Restarts);
  return `two tasks with --stop-after were started again: ${restarts} times`;
}

async function tryFailures(place, cluster) {
  const refused = `${head}export NATTER_API_KEY=wrong\n${run} -o no.jsonl\n`;
  const jobs = [
    submit(place, cluster, refused, '--array=1'),
    submit(place, cluster, `${head}${run} -o no.jsonl\n`, '--array=1,3,7'),
  ];
  for (const job of jobs) await job.end();
  assert.match(jobs[1].log(3), /the array has 3 jobs, which are not all numbers from 1 to 7/);
  const ends = jobs.map(({ id }) => cluster.jobs(id)[0]);
  assert.deepEqual(
    ends.map((job) => [job.JobState, job.ExitCode, job.Restarts]),
    [
      ['FAILED', '4:0', '0'],
      ['FAILED', '2:0', '0'],
    ],
  );
  return 'a refused key and an array with gaps failed with 4 and 2';
}

export const slurm = {
  name: 'slurm',
  items,
  delay: 500,
  missing: missingForSlurm,
  open: startCluster,
  cases: [
    ['an array with a time limit and a failed node', tryArray],
    ['RequeueExit=75', tryRequeueExit],
    ['failures that no other start cures', tryFailures],
  ],
};
