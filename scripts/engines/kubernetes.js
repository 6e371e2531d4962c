// What Kubernetes does to a pod, without Kubernetes: natter is process 1 in its own namespaces, gets SIGTERM or
// SIGKILL, and its successor has a new host name and new process ids.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { runCases } from './cases.js';
import { firstProcess, openPlace, repeats, until } from './place.js';

const count = 60;
const concurrency = 2;
const namespaces = ['--uts', '--pid', '--fork', '--kill-child', '--mount-proc'];

/** Starts natter as process 1 of a pod. @returns its host process, and what it prints and returns */
function startPod(place, name, words) {
  const script = `hostname ${name} && exec "${process.execPath}" "${place.program}" "$@"`;
  const child = spawn('unshare', [...namespaces, 'sh', '-c', script, 'sh', ...words], {
    cwd: place.folder,
    env: { ...place.env, JOB_COMPLETION_INDEX: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr']) {
    child[stream].on('data', (chunk) => (printed[stream] += chunk));
  }
  const stdout = () => printed.stdout;
  const stderr = () => printed.stderr;
  const end = new Promise((settle) => child.on('close', (code) => settle(code)));
  /** As the kubelet: to process 1 of the namespace. */
  const signal = (signalName) => process.kill(firstProcess(child), signalName);
  return { end, stdout, stderr, signal };
}

const batch = ['batch', 'prompts.txt', '--shard', 'auto/2', '--concurrency', `${concurrency}`];
const output = (name) => [...batch, '-o', name];

async function tryEviction(place, note) {
  const results = () => place.results('pod.jsonl');
  const first = startPod(place, 'pod-1', output('pod.jsonl'));
  await until(() => results().length >= 4, first.stderr);
  const asked = repeats(place.service);
  first.signal('SIGTERM');
  assert.equal(await first.end, 75, first.stderr());
  assert.match(first.stderr(), /stopped by SIGTERM: \d+ of 30 items answered/);
  const before = results().length;
  const second = startPod(place, 'pod-2', output('pod.jsonl'));
  assert.equal(await second.end, 0, second.stderr());
  assert.equal(results().length, count / 2);
  assert.equal(repeats(place.service), asked);
  note(
    `process 1 exited with 75 after SIGTERM and ${before} answers; the next pod sent only the rest`,
  );
}

async function tryKill(place, note) {
  const results = () => place.results('killed.jsonl');
  const before = repeats(place.service) + results().length;
  const first = startPod(place, 'pod-1', output('killed.jsonl'));
  await until(() => results().length >= 4, first.stderr);
  first.signal('SIGKILL');
  await first.end;
  const answered = results().length;
  // A restarted container has the host name of its pod.
  const second = startPod(place, 'pod-1', output('killed.jsonl'));
  assert.equal(await second.end, 0, second.stderr());
  assert.deepEqual(
    results().map(({ index }) => index),
    Array.from({ length: count / 2 }, (_, at) => at * 2 + 1),
  );
  // The case before sent all prompts of this shard once.
  const repeated = repeats(place.service) - before - count / 2;
  assert.ok(repeated <= concurrency, `${repeated} prompts were repeated`);
  note(`killed after ${answered} answers; ${repeated} prompts in flight were sent again`);
}

async function tryPrompt(place, note) {
  // The service repeats the prompt: 100 seconds, of which the test waits for the first.
  const pod = startPod(place, 'pod-1', [`[sandbox rate=10] ${'hello '.repeat(1000)}`]);
  await until(() => pod.stdout() !== '', pod.stderr);
  pod.signal('SIGTERM');
  assert.equal(await pod.end, 143, pod.stderr());
  note('a single prompt that is process 1 exits with 143');
}

/** @returns the number of failed cases */
export async function testKubernetes(print) {
  if (spawnSync('unshare', [...namespaces, 'true']).status !== 0) {
    print('kubernetes: not tried; only root may create namespaces with unshare');
    return 0;
  }
  const place = await openPlace(count, 500);
  try {
    return await runCases(print, 'kubernetes', [
      ['a pod that is evicted', (note) => tryEviction(place, note)],
      ['a container that is killed', (note) => tryKill(place, note)],
      ['a pod with a single prompt', (note) => tryPrompt(place, note)],
    ]);
  } finally {
    place.close();
  }
}
