// Preloaded into a program whose CPU and memory are measured: writes both to file descriptor 3.
import { existsSync, readFileSync, writeSync } from 'node:fs';

const statusFile = '/proc/self/status';

/**
 * Peak resident memory in kB. On Linux it is read from /proc: the peak of `resourceUsage` is inherited from the parent
 * process, so a large benchmark would measure itself.
 */
function peakMemory(): number {
  if (!existsSync(statusFile)) return process.resourceUsage().maxRSS;
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(statusFile, 'utf8'))?.[1]);
}

process.once('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, `${(user + system) / 1000} ${peakMemory()}`);
});
