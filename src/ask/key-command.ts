import type { Run, Context } from '../run.ts';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseBaseUrl } from '../client/http/base-url.ts';
import { requireEncryption } from '../client/http/request-headers.ts';
import { startTimer } from '../clock.ts';
import { withoutKeys } from '../environment.ts';
import { Failure } from '../failure.ts';
import { commandWords, shellWordHint, shellWordIn } from '../settings/command-words.ts';
import type { Resolved } from '../settings/resolved-settings.ts';
import { parseApiKey } from '../settings/setting-value.ts';

/** The milliseconds for a command: a person may have to touch a device, or enter a passphrase. */
const timeLimit = 30_000;
/** The most characters that a command may print. */
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
    ? '‹natter auth status› shows the command; run it in a shell to see what it prints'
    : shellWordHint(shellWord);
}

function notStarted(command: RunningCommand, error: NodeJS.ErrnoException): Failure {
  const { program } = command;
  if (error.code !== 'ENOENT') {
    const problem = `cannot run ${program}: ${error.message}`;
    return problemOf(command, problem, outputHint(command), error);
  }
  const isShort = /^[~$.]/.test(program) || program.includes('%');
  const hint = isShort
    ? 'no shell expands it, and it runs in your home folder: write its whole path'
    : 'install it, or write its whole path';
  return problemOf(command, `names the program ${program}, which was not found`, hint, error);
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

/** Runs a command, and ends it when its key is known, its time is over or natter is interrupted. @throws Failure */
async function run(command: RunningCommand, words: readonly string[]): Promise<string> {
  const { clock, environment, homeDirectory: home, secrets, signal, streams } = command.context;
  // It may ask a person for a passphrase, but gets no piped input, which belongs to the prompt.
  const child = spawn(command.program, words, {
    stdio: [streams.stdin.isTerminal ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    env: { ...withoutKeys(environment) },
    // On Windows, a program is looked for in the current folder first, which may be anybody's.
    ...(home !== undefined && existsSync(home) && { cwd: home }),
    signal,
  });
  let stopTimer = () => {};
  try {
    const output = await new Promise<string>((resolve, reject) => {
      const fail = (problem: string, hint = outputHint(command)) =>
        reject(problemOf(command, problem, hint));
      stopTimer = startTimer(clock, timeLimit, () => {
        const hint = 'unlock the password manager first, then try again';
        fail(`did not end within ${timeLimit / 1000} seconds`, hint);
      });
      let text = '';
      child.stdout?.setEncoding('utf8').on('data', (more: string) => {
        text += more;
        if (text.length > maxOutput) fail('printed more than a key');
      });
      child.on('error', (error) => reject(notStarted(command, error)));
      child.on('close', (code, killedBy) => {
        if (code === 0) resolve(text);
        else fail(`failed with ${killedBy ?? `exit code ${code}`}`);
      });
    });
    const key = keyIn(command, output);
    secrets.keep({ apiKey: key });
    return key;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    stopTimer();
    // Its children may survive and hold the pipe open, which would keep natter running.
    child.stdout?.destroy();
    child.unref();
    child.kill();
  }
}

/** Names the setting in messages. */
export function commandLabel({ source }: Resolved<string>): string {
  return source.kind === 'environment' ? source.name : `api-key-command of profile ${source.name}`;
}

/**
 * Returns the key of the settings, or what their command prints, which runs only once if it succeeds.
 * @throws Failure `unauthorized` with the problem, `configuration` for a malformed command or a key that may not be
 * sent to the base URL; the reason of the context's signal
 */
export async function serviceKey({ context, settings }: Run): Promise<string | undefined> {
  const { apiKey, apiKeyCommand: setting, values } = settings;
  if (setting === undefined) return apiKey?.value;
  const baseUrl = parseBaseUrl(values.baseUrl ?? '');
  requireEncryption(baseUrl, { authorization: '' }, values.allowInsecure);
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
