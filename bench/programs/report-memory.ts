// Preloaded into a program whose memory is measured.
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

process.once('exit', () => void writeSync(3, String(peakMemory())));
