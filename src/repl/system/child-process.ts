import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';

import type { Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';

export interface ChildOptions {
  readonly environment: Environment;
  /** Given to standard input; without it the child has natter's own streams. */
  readonly input?: string;
  /** Windows: the words are passed on as they are, for a program with quoting rules of its own, as cmd.exe. */
  readonly verbatim?: boolean;
  /** Kills the program when it aborts; nothing that it started is waited for. */
  readonly signal?: AbortSignal;
}

/** The environment without natter's keys: what runs beside natter has no use for them. */
function withoutKeys(environment: Environment): Environment {
  const { NATTER_API_KEY: _key, NATTER_UPSTREAM_API_KEY: _upstreamKey, ...others } = environment;
  return others;
}

/** What it started may live on and hold its input open, for which natter's own end would wait. */
function kill(child: ChildProcess): void {
  child.kill('SIGKILL');
  child.stdin?.destroy();
  child.unref();
}

/**
 * Runs a program to its end. @returns its exit code; undefined when there is no such program
 * @throws Failure when it cannot be started otherwise; the signal's reason, at once, when it aborts
 */
export function runChild(
  command: string,
  words: readonly string[],
  { environment, input, verbatim = false, signal }: ChildOptions,
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
      kill(child);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', stop, { once: true });
    child.on('close', () => signal?.removeEventListener('abort', stop));
    // A program that does not read its input may end before it is written.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
