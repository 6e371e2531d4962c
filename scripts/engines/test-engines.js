// Tries natter batch with real engines: `npm run test:engines`. What is not installed is reported, and is not a failure.
// With names, only those are tried: `npm run test:engines queue`.
import { testKubernetes } from './kubernetes.js';
import { testParallel } from './parallel.js';
import { testQueue } from './queue.js';
import { testSlurm } from './slurm.js';

const engines = [
  { name: 'parallel', test: testParallel },
  { name: 'kubernetes', test: testKubernetes },
  { name: 'slurm', test: testSlurm },
  { name: 'queue', test: testQueue },
];

const print = (text) => void process.stdout.write(`${text}\n`);
const names = process.argv.slice(2);
let failed = 0;
for (const { name, test } of engines) {
  if (names.length > 0 && !names.includes(name)) continue;
  failed += (await test(print)) ?? 0;
}
process.exitCode = failed === 0 ? 0 : 1;
