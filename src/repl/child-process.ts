import { spawn, type StdioOptions } from 'node:child_process';

import { Failure } from '../failure.ts';

/** A copy of, or the real, process environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ChildOptions {
  readonly environment: Environment;
  /** Given to standard input; without it the child has natter's own streams. */
  readonly input?: string;
  /** Windows: the words are passed on as they are, for a program with quoting rules of its own, as cmd.exe. */
  readonly verbatim?: boolean;
}

/** The environment without natter's keys: what runs beside natter has no use for them. */
function withoutKeys(environment: Environment): Environment {
  const { NATTER_API_KEY: _key, NATTER_UPSTREAM_API_KEY: _upstreamKey, ...others } = environment;
  return others;
}

/**
 * Runs a program to its end. @returns its exit code; undefined when there is no such program
 * @throws Failure when it cannot be started otherwise
 */
export function runChild(
  command: string,
  words: readonly string[],
  { environment, input, verbatim = false }: ChildOptions,
): Promise<number | undefined> {
  const stdio: StdioOptions = input === undefined ? 'inherit' : ['pipe', 'ignore', 'ignore'];
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, {
      stdio,
      env: { ...withoutKeys(environment) },
      windowsVerbatimArguments: verbatim,
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') resolve(undefined);
      else reject(new Failure('unexpected', `cannot run ${command}: ${error.message}`));
    });
    child.on('exit', (code, signal) => resolve(code ?? (signal === null ? 0 : 1)));
    // A program that does not read its input may end before it is written.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
