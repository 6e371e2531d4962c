import { cpuUsage } from 'node:process';

/**
 * Milliseconds of processor time that `work` takes: unlike those of a clock they leave out what else the machine does.
 */
export async function processorTime(work: () => unknown): Promise<number> {
  const before = cpuUsage();
  await work();
  const { user, system } = cpuUsage(before);
  return (user + system) / 1000;
}
