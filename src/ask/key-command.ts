import type { Run, Context } from '../run.ts';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseBaseUrl } from '../client/http/base-url.ts';
import { requireEncryption } from '../client/configuration.ts';
import { startTimer } from '../clock.ts';
import { withoutKeys } from '../environment.ts';
import { Failure } from '../failure.ts';
import { commandWords, shellHint } from '../settings/command-words.ts';
import type { Resolved } from '../settings/resolved-settings.ts';
import { parseApiKey } from '../settings/setting-value.ts';

/** The milliseconds for a command: a person may have to touch a device, or enter a passphrase. */
const timeLimit = 30_000;
/** The most characters that a command may print. */
const maxOutput = 8192;

/**
 * Runs a command, and ends it when its key is known, its time is over or natter is interrupted.
 * @param label the setting, for messages
 * @throws Failure `configuration` for a malformed command, `unauthorized` with the problem
 */
async function printedKey(context: Context, label: string, command: string): Promise<string> {
  const { clock, environment, homeDirectory: home, secrets, signal, streams } = context;
  const [program, ...words] = commandWords(command, label, 'configuration');
  const usualHint =
    shellHint(command) ??
    '‹natter auth status› shows the command; run it in a shell to see what it prints';
  const failure = (problem: string, hint = usualHint, cause?: unknown) =>
    new Failure('unauthorized', `${label} ${problem}`, { hint, cause });
  // It may ask a person for a passphrase, but gets no piped input, which belongs to the prompt.
  const child = spawn(program, words, {
    stdio: [streams.stdin.isTerminal ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    env: { ...withoutKeys(environment) },
    // On Windows, a program is looked for in the current folder first, which may be anybody's.
    ...(home !== undefined && existsSync(home) && { cwd: home }),
    signal,
  });
  let stopTimer = () => {};
  try {
    const output = await new Promise<string>((resolve, reject) => {
      const locked = 'unlock the password manager first, then try again';
      const tooLate = failure(`did not end within ${timeLimit / 1000} seconds`, locked);
      stopTimer = startTimer(clock, timeLimit, () => reject(tooLate));
      let text = '';
      child.stdout?.setEncoding('utf8').on('data', (more: string) => {
        text += more;
        if (text.length > maxOutput) reject(failure('printed more than a key'));
      });
      child.on('error', (error: NodeJS.ErrnoException) => {
        const notFound = /^[~$.]|%/.test(program)
          ? 'no shell expands it, and it runs in your home folder: write its whole path'
          : 'install it, or write its whole path';
        reject(
          error.code === 'ENOENT'
            ? failure(`names the program ${program}, which was not found`, notFound, error)
            : failure(`cannot run ${program}: ${error.message}`, undefined, error),
        );
      });
      child.on('close', (code, killedBy) => {
        if (code === 0) resolve(text.trim());
        else reject(failure(`failed with ${killedBy ?? `exit code ${code}`}`));
      });
    });
    if (output === '') throw failure('printed no key');
    const { length } = output.split(/\r?\n/);
    if (length > 1) {
      const hint = `it must print the key alone; for the first line: sh -c '… | head -n 1'`;
      throw failure(`printed ${length} lines, not a key`, shellHint(command) ?? hint);
    }
    const key = parseApiKey(output, `the output of ${label}`, 'unauthorized');
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
  const keys = context.shared.printedKeys;
  const key = keys.get(setting.value) ?? printedKey(context, label, setting.value);
  keys.set(setting.value, key);
  // A command that failed may succeed later: the password manager was locked.
  key.catch(() => keys.delete(setting.value));
  return key;
}
