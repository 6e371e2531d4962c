// Tries natter batch with real engines: `npm run test:engines`. What is not installed is reported, and is not a failure.
// With names, only those are tried: `npm run test:engines queue`. An engine has prompts for its folder, a reason why it
// cannot be tried, what it starts before its cases, and the cases, which return a note.
import { kubernetes } from './kubernetes.js';
import { parallel } from './parallel.js';
import { openPlace } from './place.js';
import { queue } from './queue.js';
import { slurm } from './slurm.js';

const print = (text) => void process.stdout.write(`${text}\n`);

/** @returns whether it passed */
async function tryCase(name, title, run) {
  const start = performance.now();
  const seconds = () => `${Math.round((performance.now() - start) / 1000)} s`;
  try {
    const note = await run();
    print(`${name}: ${title}: passed (${seconds()})\n  ${note}`);
    return true;
  } catch (error) {
    print(`${name}: ${title}: failed (${seconds()}): ${error.stack}`);
    return false;
  }
}

async function tryEngine({ name, items, delay, missing, open, cases }) {
  const reason = missing();
  if (reason !== undefined) return print(`${name}: not tried; ${reason}`);
  const place = await openPlace(items, delay);
  let opened;
  try {
    opened = await open?.(place);
    if (opened?.missing !== undefined) return print(`${name}: not tried; ${opened.missing}`);
    for (const [title, run] of cases) {
      const hasPassed = await tryCase(name, title, () => run(place, opened));
      if (!hasPassed) process.exitCode = 1;
    }
  } finally {
    await opened?.close();
    place.close();
  }
}

const names = process.argv.slice(2);
for (const engine of [parallel, kubernetes, slurm, queue]) {
  if (names.length === 0 || names.includes(engine.name)) await tryEngine(engine);
}
