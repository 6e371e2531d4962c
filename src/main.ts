import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { isSea } from 'node:sea';
import { isatty } from 'node:tty';
import packageJson from '../package.json' with { type: 'json' };
import { systemClock } from './clock.ts';
import type { Context } from './run.ts';
import { createSecrets } from './secrets/secrets.ts';
import { hasFlag } from './cli/command-line.ts';
import { buildProgram, runProgram } from './cli/program.ts';
import type { Environment } from './environment.ts';
import { Failure, replacedFailure } from './failure.ts';
import { createAsk } from './terminal/device/ask.ts';
import { createDevice } from './terminal/device/device.ts';
import { Interruption, watchSignals } from './terminal/device/signals.ts';
import { OutputClosed, processStreams, type Streams } from './terminal/device/streams.ts';

const writeProblems: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the device',
  EIO: 'the terminal or device is gone',
};

function writeFailure(stream: string, error: NodeJS.ErrnoException): Error {
  if (error.code === 'EPIPE')
    return new OutputClosed('the reader of the output is gone', { cause: error });
  const problem = writeProblems[error.code ?? ''] ?? error.message;
  return new Failure('storage', `cannot write to ${stream}: ${problem}`, { cause: error });
}

/** If text is written to a closed standard output, in whose place Node opens the null device, says once that nothing is printed. */
function noticeClosed({ stdout, stderr, ...others }: Streams, isQuiet: boolean): Streams {
  if (isQuiet || !stdout.isClosed()) return { ...others, stdout, stderr };
  const text =
    'standard output is closed, so nothing is printed; natter last prints a saved answer';
  let isSaid = false;
  const write = (written: string) => {
    if (written !== '' && !isSaid) {
      isSaid = true;
      void stderr.write(`natter: ${text}\n`);
    }
    return stdout.write(written);
  };
  return { ...others, stdout: { ...stdout, write }, stderr };
}

/** `os.homedir` throws if neither HOME nor the user database has a home folder. */
function findHome(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    // The process of a different user: it is running, but must not be signalled.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function printVersionDetails({ streams, version, platform }: Context): Promise<void> {
  const { updateCommand } = await import('./cli/version-details.ts');
  const folder = isSea() ? process.execPath : dirname(import.meta.dirname);
  // A package that names no repository is in no registry.
  const isPublished = 'repository' in packageJson;
  const rows = {
    natter: version,
    node: process.version.slice(1),
    platform: `${platform} ${process.arch}`,
    installed: folder,
    update: isSea() ? 'replace this file with a newer one' : updateCommand(folder, isPublished),
  };
  for (const [name, value] of Object.entries(rows)) {
    void streams.stdout.write(`${name.padEnd(9)}  ${value}\n`);
  }
}

/** @throws any failure, or the reason of the abort signal */
async function runCommandLine(context: Context, words: readonly string[]): Promise<void> {
  const { signal, streams } = context;
  try {
    const isVersion = hasFlag(words, '--version', '-V');
    if (words.length === 2 && isVersion && hasFlag(words, '--verbose')) {
      await printVersionDetails(context);
    } else if (words[0] === '__complete') {
      const { printCompletions } = await import('./cli/completion.ts');
      await printCompletions(context, buildProgram(context), words.slice(1));
    } else await runProgram(context, words);
  } finally {
    await streams.stdout.flush();
  }
  signal.throwIfAborted();
}

/** Milliseconds after a signal or an unexpected error, to write the last text and release the locks. */
const graceTime = 500;

/**
 * Rejects with the signal's reason after the grace time: a blocked reader, an unopened pipe or a promise that nothing
 * settles any more must not keep natter running, or let it end without a report.
 */
function startGrace(signal: AbortSignal) {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    const wait = () => {
      const reason: unknown = signal.reason;
      if (!(reason instanceof OutputClosed)) timer = setTimeout(() => reject(reason), graceTime);
    };
    signal.addEventListener('abort', wait, { once: true });
  });
  return { over, end: () => clearTimeout(timer) };
}

async function report(
  thrown: unknown,
  context: Context,
  words: readonly string[],
): Promise<number> {
  const { text, exitCode } = await import('./cli/report.ts').then(
    ({ describeFailure }) => describeFailure(thrown, context, words),
    (missing: unknown) => {
      const failure = replacedFailure(missing);
      if (failure === undefined) throw missing;
      return { text: `natter: ${failure.message}\n  ${failure.hint}\n`, exitCode: 1 };
    },
  );
  void context.streams.stderr.write(text);
  return exitCode;
}

/** Node would abort at exit, because it cannot restore the state of a closed terminal. */
function hasLostTerminal({ stdin, stdout, stderr }: Streams): boolean {
  return [stdin, stdout, stderr].some((stream, descriptor) => {
    return stream.isTerminal && !isatty(descriptor);
  });
}

/**
 * Returns the environment for natter and the programs that it starts. `DEV=true` is meant for programs of the user, but
 * Ink would look for React's developer tools: it stays only in the copy.
 */
function takeEnvironment(): Environment {
  if (process.env['DEV'] !== 'true') return process.env;
  const environment = { ...process.env };
  delete process.env['DEV'];
  return environment;
}

async function run(words: readonly string[]): Promise<void> {
  const ending = new AbortController();
  const end = (reason: unknown) => ending.abort(reason);
  const watch = watchSignals(process, end);
  // Node's warnings are about its internals.
  process.removeAllListeners('warning');
  process.on('uncaughtException', end).on('unhandledRejection', end);
  const opened = processStreams(process, isatty, (stream, error) => {
    // Without standard error there is nowhere to report it.
    if (stream === 'stdout') end(writeFailure('standard output', error));
  });
  const streams = noticeClosed(opened, hasFlag(words, '--quiet', '-q'));
  const environment = takeEnvironment();
  const context: Context = {
    streams,
    ask: createAsk(
      () => process.stdin,
      () => process.stderr,
      () => streams.stderr.flush(),
      end,
    ),
    device: createDevice(process, watch),
    environment,
    clock: systemClock,
    random: Math.random,
    signal: ending.signal,
    process: { id: process.pid, isRunning },
    platform: process.platform,
    homeDirectory: findHome(),
    version: packageJson.version,
    secrets: createSecrets(environment),
    shared: { printedKeys: new Map() },
  };
  const grace = startGrace(ending.signal);
  try {
    await Promise.race([runCommandLine(context, words), grace.over]);
  } catch (thrown) {
    const error: unknown = ending.signal.aborted ? ending.signal.reason : thrown;
    if (error instanceof Interruption) {
      watch.reraise(error.signal);
      return;
    }
    if (!(error instanceof OutputClosed)) process.exitCode = await report(error, context, words);
  } finally {
    grace.end();
    watch.stop();
    if (hasLostTerminal(streams)) watch.reraise('SIGHUP');
  }
}

/** The report itself failed. Its error may contain anything, so only its name is printed. */
function reportNameOf(error: unknown): void {
  const name = error instanceof Error ? error.name : typeof error;
  process.exitCode = 1;
  process.stderr.write(`natter: unexpected error: ${name}\n`);
}

run(process.argv.slice(2)).catch(reportNameOf);
