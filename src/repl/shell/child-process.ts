import { spawn, type StdioOptions } from 'node:child_process';

import { type Environment, withoutKeys } from '../../environment.ts';
import { Failure } from '../../failure.ts';

/**
 * @returns the exit code; undefined if the program does not exist
 * @throws Failure if it cannot be started for another reason; the reason of `signal` as soon as it aborts
 */
export function runChild(
  command: string,
  words: readonly string[],
  {
    environment,
    input,
    verbatim = false,
    signal,
  }: {
    readonly environment: Environment;
    /** Written to standard input; if undefined, the child inherits natter's streams. */
    readonly input?: string;
    /** Windows: passes arguments unquoted, for programs with their own quoting rules, such as cmd.exe. */
    readonly verbatim?: boolean;
    /** Kills the program on abort, without waiting for its children. */
    readonly signal?: AbortSignal;
  },
): Promise<number | undefined> {
  const stdio: StdioOptions = input === undefined ? 'inherit' : ['pipe', 'ignore', 'ignore'];
  return new Promise<number | undefined>((resolve, reject) => {
    signal?.throwIfAborted();
    const child = spawn(command, words, {
      stdio,
      env: { ...withoutKeys(environment) },
      windowsVerbatimArguments: verbatim,
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') resolve(undefined);
      else reject(new Failure('unexpected', `cannot run ${command}: ${error.message}`));
    });
    child.on('exit', (code, killedBy) => resolve(code ?? (killedBy === null ? 0 : 1)));
    const stop = () => {
      child.kill('SIGKILL');
      // Its children may survive and hold the pipe open, which would keep natter running.
      child.stdin?.destroy();
      child.unref();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', stop, { once: true });
    child.on('close', () => signal?.removeEventListener('abort', stop));
    // The program may exit without reading all of its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
