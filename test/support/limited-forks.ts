import { execFileSync } from 'node:child_process';
import { ForksPoolWorker, type PoolOptions, type WorkerRequest } from 'vitest/node';

/**
 * Milliseconds for one test file. Time limits of tests cannot end a worker that waits synchronously, such as in
 * `spawnSync` for a program that hangs; vitest itself then waits without end.
 */
const fileLimit = 600_000;

/** A worker process for test files that is killed, with the names of the files, if a file takes too long. */
class LimitedFork extends ForksPoolWorker {
  #limit: NodeJS.Timeout | undefined;
  #stopping: Promise<void> | undefined;

  override async start(): Promise<void> {
    await super.start();
    this.on('message', (message: { type?: unknown } | undefined) => {
      if (message?.type === 'testfileFinished') clearTimeout(this.#limit);
    });
  }

  override send(message: WorkerRequest): void {
    super.send(message);
    if (message.type !== 'run') return;
    const files = message.context.files.map(({ filepath }) => filepath);
    this.#limit = setTimeout(() => void this.#kill(files), fileLimit);
  }

  override stop(): Promise<void> {
    clearTimeout(this.#limit);
    return (this.#stopping ??= super.stop());
  }

  async #kill(files: readonly string[]): Promise<void> {
    const minutes = fileLimit / 60_000;
    process.stderr.write(
      `${files.join(', ')}: no result for ${minutes} minutes; the worker is killed. Processes:\n${listDescendants()}\n`,
    );
    await this.stop();
  }
}

/** The rows of `ps` for what this process has started, directly or not. */
function listDescendants(): string {
  if (process.platform === 'win32') return '';
  const family = new Set([process.pid]);
  const rows = execFileSync('ps', ['-eo', 'pid,ppid,stat,etime,args', '--sort=pid']).toString();
  return rows
    .split('\n')
    .filter((row) => {
      const [id, parent] = row.trim().split(/\s+/).map(Number);
      if (id === undefined || parent === undefined || !family.has(parent)) return false;
      family.add(id);
      return true;
    })
    .join('\n');
}

/** For `pool` of vitest: worker processes with a limit for each test file. */
export const limitedForks = {
  name: 'limited-forks',
  createPoolWorker: (options: PoolOptions) => new LimitedFork(options),
};
