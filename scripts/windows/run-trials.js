// Runs the trials, on Windows: `node scripts/windows/run-trials.js [words of a trial's name]`.
import { rmSync } from 'node:fs';
import { SampleHome } from './sample-home.js';
import { trials } from './trials.js';

const wanted = process.argv.slice(2).join(' ');
const chosen = Object.entries(trials).filter(([name]) => name.includes(wanted));
const failures = [];

async function runTrial(name, trial) {
  const home = new SampleHome();
  try {
    await trial(home);
  } catch (error) {
    failures.push(`${name}: ${error.stack}`);
  } finally {
    rmSync(home.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const waiting = chosen.values();
async function work() {
  for (const [name, trial] of waiting) await runTrial(name, trial);
}
await Promise.all([work(), work()]);

const report = `Node ${process.version}: ${chosen.length - failures.length} of ${chosen.length} trials passed`;
process.stdout.write([...failures, report, ''].join('\n'));
process.exitCode = failures.length === 0 && chosen.length > 0 ? 0 : 1;
