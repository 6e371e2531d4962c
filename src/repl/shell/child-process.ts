import { spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';

import { type Environment, withoutKeys } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import { errorCode } from '../../storage/storage-failure.ts';

/**
 * @returns the exit code; undefined if the program does not exist
 * @throws Failure if it cannot be started for another reason; the reason of `signal` as soon as it aborts
 */
export async function runChild(
  command: string,
  words: readonly string[],
  options: {
    readonly environment: Environment;
    /** Written to standard input; if undefined, the child inherits natter's streams. */
    readonly input?: string;
    /** Windows: passes arguments unquoted, for programs with their own quoting rules, such as cmd.exe. */
    readonly verbatim?: boolean;
    /** Kills the program on abort, without waiting for its children. */
    readonly signal?: AbortSignal;
  },
): Promise<number | undefined> {
  const { environment, input, verbatim = false, signal } = options;
  signal?.throwIfAborted();
  const stdio: StdioOptions = input === undefined ? 'inherit' : ['pipe', 'ignore', 'ignore'];
  const child = spawn(command, words, {
    stdio,
    env: { ...withoutKeys(environment) },
    windowsVerbatimArguments: verbatim,
    killSignal: 'SIGKILL',
    ...(signal && { signal }),
  });
  // The program may exit without reading all of its input.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  try {
    const [code] = (await once(child, 'exit')) as [code: number | null];
    return code ?? 1;
  } catch (error) {
    // Its children may survive and hold the pipe open, which would keep natter running.
    child.stdin?.destroy();
    child.unref();
    signal?.throwIfAborted();
    if (errorCode(error) === 'ENOENT') return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure('unexpected', `cannot run ${command}: ${reason}`);
  }
}
