import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { binary, cleanEnvironment } from './natter.ts';

export const sha256 = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** Peak memory in megabytes; 0 once the process has ended, which may be before its last bytes are read. */
function peakMemory(processId = 0): number {
  try {
    const status = readFileSync(`/proc/${processId}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Resolves with the count once it is positive and has not changed for half a second. */
export async function settledCount(count: () => number): Promise<number> {
  for (let last = 0; ; last = count()) {
    await pause(500);
    if (last > 0 && count() === last) return last;
  }
}

/** Runs natter with a reader that starts when `mayRead` resolves, and pauses `rest` milliseconds after each piece. @returns the peak memory in megabytes */
export async function readSlowly(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  { mayRead, rest }: { readonly mayRead?: () => Promise<unknown>; readonly rest?: number },
) {
  const child = spawn(process.execPath, [binary, ...words], {
    env: cleanEnvironment(env),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const hash = createHash('sha256');
  let length = 0;
  let peak = 0;
  await mayRead?.();
  for await (const piece of child.stdout) {
    hash.update(piece as Buffer);
    length += (piece as Buffer).length;
    peak = Math.max(peak, peakMemory(child.pid));
    if (rest !== undefined) await pause(rest);
  }
  return { code: await ended, length, hash: hash.digest('hex'), peak };
}
