import { cpuUsage } from 'node:process';

/** CPU time of `work` in milliseconds, which unlike elapsed time excludes other programs. */
export async function processorTime(work: () => unknown): Promise<number> {
  const before = cpuUsage();
  await work();
  const { user, system } = cpuUsage(before);
  return (user + system) / 1000;
}
