import { type ChildProcess, spawn } from 'node:child_process';
import { PassThrough, type Readable } from 'node:stream';
import type { Clock } from '../../clock.ts';
import { type Environment, withoutKeys } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import { errorCode } from '../../storage/storage-failure.ts';
import { createDebounce } from '../timers.ts';

/** How a command ended: with an exit code, or by a signal. */
export interface ShellEnd {
  readonly code: number | undefined;
  readonly killedBy: string | undefined;
  /** A process that it started still has the output open. */
  readonly isOpen: boolean;
}

export interface ShellOptions {
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
}

/**
 * The words that run a command in the user's shell; on Windows, they may have to be passed unquoted. Elsewhere, both
 * outputs of the command are one pipe, which keeps their order.
 */
export function shellWords(
  command: string,
  { environment, platform }: Pick<ShellOptions, 'environment' | 'platform'>,
): { readonly program: string; readonly words: readonly string[]; readonly isVerbatim?: boolean } {
  if (platform !== 'win32') {
    const shell = environment['SHELL'] || '/bin/sh';
    return { program: '/bin/sh', words: ['-c', 'exec "$0" -c "$1" 2>&1', shell, command] };
  }
  // PowerShell adds the user's modules to this variable, cmd.exe does not.
  const modules = environment['PSModulePath'] ?? '';
  const isNew = /\\Documents\\PowerShell\\Modules/i.test(modules);
  if (isNew || /\\Documents\\WindowsPowerShell\\Modules/i.test(modules)) {
    const words = ['-NoLogo', '-NonInteractive', '-Command', command];
    return { program: isNew ? 'pwsh.exe' : 'powershell.exe', words };
  }
  const program = environment['ComSpec'] || 'cmd.exe';
  return { program, words: ['/d', '/s', '/c', `"${command}"`], isVerbatim: true };
}

function startFailure(error: unknown): Failure {
  const reason = error instanceof Error ? error.message : String(error);
  return new Failure('unexpected', `cannot start the shell: ${reason}`, { cause: error });
}

/** The command has no terminal: it is in a separate session, with empty standard input. @throws Failure, such as for a long command */
function start(command: string, options: ShellOptions): ChildProcess {
  const isWindows = options.platform === 'win32';
  const { program, words, isVerbatim = false } = shellWords(command, options);
  try {
    return spawn(program, words, {
      stdio: ['ignore', 'pipe', isWindows ? 'pipe' : 'ignore'],
      env: { ...withoutKeys(options.environment) },
      detached: !isWindows,
      windowsHide: true,
      windowsVerbatimArguments: isVerbatim,
    });
  } catch (error) {
    throw startFailure(error);
  }
}

function outputOf({ stdout, stderr }: ChildProcess): Readable {
  if (stdout === null) throw new Error('the command has no output');
  if (stderr === null) return stdout;
  const both = new PassThrough();
  let open = 2;
  for (const stream of [stdout, stderr]) {
    stream.pipe(both, { end: false });
    stream.on('end', () => {
      open -= 1;
      if (open === 0) both.end();
    });
  }
  return both;
}

/** @throws Failure if the shell cannot be started */
function whenExited(child: ChildProcess): Promise<Omit<ShellEnd, 'isOpen'>> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(startFailure(error)));
    child.once('exit', (code, killedBy) =>
      resolve({ code: code ?? undefined, killedBy: killedBy ?? undefined }),
    );
  });
}

/** Milliseconds without output after the shell has exited: a process it started holds the pipe open. */
const quietTime = 300;

/** @returns whether the output stays open after the exit */
async function readOutput(
  output: Readable,
  exited: Promise<unknown>,
  clock: Clock,
  onOutput: (text: string) => Promise<void>,
): Promise<boolean> {
  const decoder = new TextDecoder();
  let hasExited = false;
  let isOpen = false;
  const quiet = createDebounce(clock, () => {
    isOpen = true;
    output.destroy();
  });
  const onExit = () => {
    hasExited = true;
    quiet.restart(quietTime);
  };
  exited.then(onExit, onExit);
  try {
    for await (const piece of output) {
      quiet.cancel();
      await onOutput(decoder.decode(piece as Buffer, { stream: true }));
      if (hasExited) quiet.restart(quietTime);
    }
  } catch (error) {
    // The output was closed after a quiet time.
    if (!isOpen) throw error;
  } finally {
    quiet.cancel();
  }
  await onOutput(decoder.decode());
  return isOpen;
}

/** Ends the command and what it started: on Windows at once, elsewhere all processes of its group. */
function end(
  child: ChildProcess,
  { platform }: ShellOptions,
  signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL',
): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (platform === 'win32') {
    const words = ['/pid', String(pid), '/t', '/f'];
    const killer = spawn('taskkill', words, { stdio: 'ignore', windowsHide: true });
    killer.on('error', () => child.kill());
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // The group has ended. Of one whose last process is not collected yet, macOS reports EPERM.
    const code = errorCode(error);
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/** Milliseconds from SIGTERM to SIGKILL. */
const graceTime = 2000;

/**
 * Runs a command in the user's shell, in natter's folder, without natter's keys. If `signal` aborts, it is ended.
 * `onOutput` gets the output as it arrives; no more is read until it resolves.
 * @throws Failure if the shell cannot be started; the error of `onOutput`, which ends the command, too
 */
export async function runInShell(
  command: string,
  {
    signal,
    onOutput,
  }: { readonly signal: AbortSignal; readonly onOutput: (text: string) => Promise<void> },
  options: ShellOptions,
): Promise<ShellEnd> {
  signal.throwIfAborted();
  const child = start(command, options);
  let finish = () => {};
  const stop = () => {
    end(child, options, 'SIGTERM');
    finish = options.clock.timer(graceTime, () => end(child, options));
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const exited = whenExited(child);
    const isOpen = await readOutput(outputOf(child), exited, options.clock, onOutput);
    const ended = await exited;
    if (isOpen && signal.aborted && options.platform !== 'win32') end(child, options);
    return { ...ended, isOpen: isOpen && !signal.aborted };
  } catch (error) {
    end(child, options);
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    finish();
  }
}
