// What Kubernetes does to a pod, without Kubernetes: natter is process 1 in its own namespaces, gets SIGTERM or
// SIGKILL, and its successor has a new host name and new process ids.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { firstProcess, until } from './place.js';

const items = 60;
const concurrency = 2;
const namespaces = ['--uts', '--pid', '--fork', '--kill-child', '--mount-proc'];

/** Starts natter as process 1 of a pod. */
function startPod(place, name, words) {
  const script = `hostname ${name} && exec "${process.execPath}" "${place.program}" "$@"`;
  const unshare = [...namespaces, 'sh', '-c', script, 'sh', ...words];
  return place.start('unshare', unshare, { JOB_COMPLETION_INDEX: '1' });
}

/** As the kubelet: to process 1 of the namespace. */
const signal = (pod, name) => process.kill(firstProcess(pod.child), name);

const batch = ['batch', 'prompts.txt', '--shard', 'auto/2', '--concurrency', `${concurrency}`];

async function tryEviction(place) {
  const words = [...batch, '-o', 'pod.jsonl'];
  const results = () => place.results('pod.jsonl');
  const first = startPod(place, 'pod-1', words);
  await until(
    () => results().length >= 4,
    () => first.stderr,
  );
  const repeats = place.service.repeats();
  signal(first, 'SIGTERM');
  assert.equal(await first.end, 75, first.stderr);
  assert.match(first.stderr, /stopped by SIGTERM: \d+ of 30 items answered/);
  const before = results().length;
  const second = startPod(place, 'pod-2', words);
  assert.equal(await second.end, 0, second.stderr);
  assert.equal(results().length, items / 2);
  assert.equal(place.service.repeats(), repeats);
  return `process 1 exited with 75 after SIGTERM and ${before} answers; the next pod sent only the rest`;
}

async function tryKill(place) {
  const words = [...batch, '-o', 'killed.jsonl'];
  const results = () => place.results('killed.jsonl');
  const before = place.service.repeats();
  const first = startPod(place, 'pod-1', words);
  await until(
    () => results().length >= 4,
    () => first.stderr,
  );
  signal(first, 'SIGKILL');
  await first.end;
  const answered = results().length;
  // A restarted container has the host name of its pod.
  const second = startPod(place, 'pod-1', words);
  assert.equal(await second.end, 0, second.stderr);
  assert.deepEqual(
    results().map(({ index }) => index),
    Array.from({ length: items / 2 }, (_, at) => at * 2 + 1),
  );
  // The case before sent all prompts of this shard once.
  const repeated = place.service.repeats() - before - items / 2;
  assert.ok(repeated <= concurrency, `${repeated} prompts were repeated`);
  return `killed after ${answered} answers; ${repeated} prompts in flight were sent again`;
}

export const kubernetes = {
  name: 'kubernetes',
  items,
  delay: 500,
  missing: () =>
    spawnSync('unshare', [...namespaces, 'true']).status === 0
      ? undefined
      : 'only root may create namespaces with unshare',
  cases: [
    ['a pod that is evicted', tryEviction],
    ['a container that is killed', tryKill],
  ],
};
