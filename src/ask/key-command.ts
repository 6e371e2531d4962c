import type { Run, Context } from '../run.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseBaseUrl } from '../client/http/base-url.ts';
import { requireEncryption } from '../client/http/request-headers.ts';
import { followSignals } from '../client/http/timer.ts';
import { withoutKeys } from '../environment.ts';
import { Failure } from '../failure.ts';
import { commandWords, shellWordHint, shellWordIn } from '../settings/command-words.ts';
import type { Resolved } from '../settings/resolved-settings.ts';
import { parseApiKey } from '../settings/setting-value.ts';

/** The milliseconds for a command: a person may have to touch a device, or enter a passphrase. */
const timeLimit = 30_000;
/** The milliseconds from SIGTERM, with which a program restores the terminal, to SIGKILL. */
const graceTime = 1000;
/** The most bytes that a command may print. */
const maxOutput = 8192;

interface RunningCommand {
  readonly context: Context;
  /** The setting, for messages. */
  readonly label: string;
  readonly program: string;
  /** The word of it that only a shell interprets. */
  readonly shellWord: string | undefined;
}

function problemOf({ label }: RunningCommand, problem: string, hint: string, cause?: unknown) {
  return new Failure('unauthorized', `${label} ${problem}`, { hint, cause });
}

function outputHint({ shellWord }: RunningCommand): string {
  return shellWord === undefined
    ? 'natter auth status shows the command; run it in a shell to see what it prints'
    : shellWordHint(shellWord);
}

function notStarted(command: RunningCommand, error: NodeJS.ErrnoException): Failure {
  const { program } = command;
  if (error.code !== 'ENOENT') {
    return problemOf(
      command,
      `cannot run ${program}: ${error.message}`,
      outputHint(command),
      error,
    );
  }
  const isShort = /^[~$.]/.test(program) || program.includes('%');
  const hint = isShort
    ? 'no shell expands it, and it runs in your home folder: write its whole path'
    : 'install it, or write its whole path';
  return problemOf(command, `names the program ${program}, which was not found`, hint, error);
}

/** Starts a command. It may ask a person for a passphrase, but gets no piped input, which belongs to the prompt. */
function start(command: RunningCommand, words: readonly string[]): ChildProcess {
  const { environment, homeDirectory: home, streams } = command.context;
  return spawn(command.program, words, {
    stdio: [streams.stdin.isTerminal ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    env: { ...withoutKeys(environment) },
    // On Windows, a program is looked for in the current folder first, which may be anybody's.
    ...(home !== undefined && existsSync(home) && { cwd: home }),
  });
}

/**
 * Reads what a command prints.
 * @throws Failure if it cannot be started, prints too much, or fails
 */
function readOutput(command: RunningCommand, child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxOutput) {
        reject(problemOf(command, 'printed more than a key', outputHint(command)));
      }
    });
    child.on('error', (error) => reject(notStarted(command, error)));
    child.on('close', (code, signal) => {
      const problem = `failed with ${signal ?? `exit code ${code}`}`;
      if (code === 0) resolve(Buffer.concat(chunks).toString());
      else reject(problemOf(command, problem, outputHint(command)));
    });
  });
}

/** Ends a command. Its children may survive and hold the pipe open, which would keep natter running. */
function end(child: ChildProcess, { clock }: Context): void {
  child.stdout?.destroy();
  child.unref();
  if (child.exitCode !== null || child.signalCode !== null || !child.kill('SIGTERM')) return;
  const exited = new AbortController();
  child.once('exit', () => exited.abort('exited'));
  void clock.sleep(graceTime, exited.signal).then(
    () => child.kill('SIGKILL'),
    () => undefined,
  );
}

async function whenTooLate(command: RunningCommand, stop: AbortSignal): Promise<never> {
  await command.context.clock.sleep(timeLimit, stop);
  const problem = `did not end within ${timeLimit / 1000} seconds`;
  throw problemOf(command, problem, 'unlock the password manager first, then try again');
}

function keyIn(command: RunningCommand, output: string): string {
  const lines = output.trim().split(/\r?\n/);
  if (output.trim() === '') throw problemOf(command, 'printed no key', outputHint(command));
  if (lines.length > 1) {
    const hint =
      command.shellWord === undefined
        ? `it must print the key alone; for the first line: sh -c '… | head -n 1'`
        : shellWordHint(command.shellWord);
    throw problemOf(command, `printed ${lines.length} lines, not a key`, hint);
  }
  return parseApiKey(output, `the output of ${command.label}`, 'unauthorized');
}

async function run(command: RunningCommand, words: readonly string[]): Promise<string> {
  const { context } = command;
  const { controller: stopping, unfollow } = followSignals(context.signal);
  const child = start(command, words);
  try {
    const tooLate = whenTooLate(command, stopping.signal);
    const key = keyIn(command, await Promise.race([readOutput(command, child), tooLate]));
    context.secrets.keep({ apiKey: key });
    return key;
  } catch (error) {
    context.signal.throwIfAborted();
    throw error;
  } finally {
    unfollow();
    stopping.abort('ended');
    end(child, context);
  }
}

/** Names the setting in messages. */
export function commandLabel({ source }: Resolved<string>): string {
  return source.kind === 'environment' ? source.name : `api-key-command of profile ${source.name}`;
}

/**
 * Returns the key of the settings, or what their command prints, which runs only once if it succeeds.
 * @throws Failure `unauthorized` with the problem, `configuration` for a malformed command or a key that may not be sent
 * to the base URL; the reason of the context's signal
 */
export async function serviceKey({ context, settings }: Run): Promise<string | undefined> {
  const { apiKey, apiKeyCommand: setting, values } = settings;
  if (setting === undefined) return apiKey?.value;
  const baseUrl = parseBaseUrl(values.baseUrl ?? '');
  requireEncryption(baseUrl, 'the key', values.allowInsecure);
  const label = commandLabel(setting);
  const parsed = commandWords(setting.value);
  if ('problem' in parsed) {
    const hint = 'it looks like pass show natter, or ["pass", "show", "natter"]';
    throw new Failure('configuration', `${label} ${parsed.problem}`, { hint });
  }
  const [program, ...words] = parsed;
  const shellWord = shellWordIn(setting.value);
  const keys = context.shared.printedKeys;
  const key = keys.get(setting.value) ?? run({ context, label, program, shellWord }, words);
  keys.set(setting.value, key);
  // A command that failed may succeed later: the password manager was locked.
  key.catch(() => keys.delete(setting.value));
  return key;
}

/** Forgets what the command printed, so that it runs again. */
export function forgetPrintedKey({ shared }: Context, { value }: Resolved<string>): void {
  shared.printedKeys.delete(value);
}
