import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { type Clock, createDebounce } from '../../clock.ts';
import { type Environment, withoutKeys } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import { count } from '../../output/figures.ts';
import type { Context } from '../../run.ts';
import { maskText } from '../../secrets/secrets.ts';
import { errorCode } from '../../storage/storage-failure.ts';
import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { contentOf, shownText } from '../composer/paste.ts';
import type { Draft } from '../composer/text-buffer.ts';
import { withAttached } from '../files/attachments.ts';
import type { Session } from '../session.ts';
import type { ReplState, Update } from '../state.ts';
import {
  andThen,
  printing,
  printNotice,
  startActivity,
  step,
  stopKey,
  withUndecided,
} from '../step.ts';
import { notice, type Entry } from '../transcript/transcript.ts';

/** Only a typed mark starts a command, not the first character of a long paste. */
export function isForShell({ hasShell }: ReplState, { text }: Draft): boolean {
  return hasShell && text.startsWith('!');
}

/** The draft of a prompt that starts with `!`. */
export function asPrompt(draft: Draft): Draft {
  if (!draft.text.startsWith('!')) return draft;
  return { ...draft, text: ` ${draft.text}`, cursor: draft.cursor + 1 };
}

const shellExplanation = (state: ReplState) =>
  [
    '!command runs in your shell, and its output is attached to the next prompt',
    '!!command runs without attaching the output',
    `a command has no terminal and no input; ${stopKey(state)} ends it`,
    'a space before ! sends the line as a prompt',
  ].join('\n');

/** Runs a typed line that starts with `!`. */
export function runForShell(state: ReplState, draft: Draft, needsEcho: boolean): Update {
  // `!!` attaches nothing.
  const [, marks = '', text = ''] = /^(!{0,2})([^]*)$/.exec(contentOf(draft)) ?? [];
  const command = text.trim();
  const echoed = step(state, printing({ type: 'command', text: shownText(draft), needsEcho }));
  if (command === '') return andThen(echoed, (next) => printNotice(next, shellExplanation(next)));
  return andThen(echoed, (next) =>
    startActivity(next, `running ${commandName(command, 24)}`, runShellLine, {
      command,
      isAttached: marks === '!',
    }),
  );
}

/** Bytes of output that are attached. */
const maxAttached = 256_000;

/** Milliseconds between two pieces of output. Meanwhile the command waits if its pipe is full. */
const outputPause = 33;

/** Rows at the start of a long output that are shown as they arrive, and at its end. */
const firstRows = 100;
const lastRows = 20;

/** Characters of an unfinished line that are held back; a longer one is divided. */
const maxHeld = 65_536;

/** What a terminal shows of a line: a carriage return starts it again, as programs do to show progress. */
function shownLine(line: string): string {
  const ended = line.replace(/\r+$/, '');
  return ended.slice(ended.lastIndexOf('\r') + 1);
}

/** The last `limit` bytes (UTF-8): whole lines, if the cut is not in the last one; else whole characters. */
export function endOf(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  const end = bytes.subarray(-limit).toString();
  const next = end.indexOf('\n') + 1;
  return next > 0 && next < end.length ? end.slice(next) : end.replace(/^\uFFFD+/, '');
}

/** What a command printed: shown line by line, and its end kept. Of a long output that is attached, the middle is not shown. */
function createShown(session: Session, signal: AbortSignal, showsAll: boolean) {
  const { clock, secrets } = session.context;
  let unfinished = '';
  let isBinary = false;
  let room = showsAll ? Number.POSITIVE_INFINITY : firstRows;
  let last: readonly string[] = [];
  let hidden = 0;
  let kept = '';
  let bytes = 0;
  const write = async (rows: readonly string[]) => {
    const text = rows.join('');
    if (text !== '') await session.transcript.print([{ type: 'output', text }]);
  };
  const print = async (lines: readonly string[]) => {
    const text = lines.map((line) => `${shownLine(line)}\n`).join('');
    const shown = maskText(secrets, sanitize(text));
    bytes += Buffer.byteLength(shown);
    // A character has at least as many bytes as UTF-16 units. With one more than fits, `endOf` cuts to whole lines.
    kept = (kept + shown).slice(-maxAttached - 1);
    const rows = shown.split(/(?<=\n)/).filter((row) => row !== '');
    const first = rows.slice(0, room);
    room -= first.length;
    const rest = [...last, ...rows.slice(first.length)];
    last = rest.slice(-lastRows);
    hidden += rest.length - last.length;
    await write(first);
  };
  return {
    async add(text: string): Promise<void> {
      isBinary ||= text.includes('\0');
      const lines = (unfinished + text).split('\n');
      const isLong = (lines.at(-1) ?? '').length > maxHeld;
      unfinished = isLong ? '' : (lines.pop() ?? '');
      await print(lines);
      const open = maskText(secrets, sanitizeLine(shownLine(unfinished)));
      // Without an unfinished line, the preview has the last of the rows that are not shown yet.
      const preview = open || (last.at(-1)?.trimEnd() ?? '');
      session.update((state) => withUndecided(state, preview));
      // Rejects if the command is stopped.
      await clock.sleep(outputPause, signal).catch(() => undefined);
    },
    async end() {
      if (shownLine(unfinished) !== '') await print([unfinished]);
      if (hidden > 0) {
        const middle = `${count(hidden)} rows are not shown; with !! all rows are`;
        await session.transcript.print([notice(middle)]);
      }
      await write(last);
      session.update((state) => withUndecided(state, ''));
      const text = endOf(kept, maxAttached);
      return { text, bytes, cut: bytes - Buffer.byteLength(text), isBinary };
    },
  };
}

type Output = Awaited<ReturnType<ReturnType<typeof createShown>['end']>>;

function attachedText({ bytes, cut }: Output): string {
  if (bytes === 0) return 'attached to the next prompt';
  if (cut === 0) return `${count(bytes)} bytes of output are attached to the next prompt`;
  return `the last ${count(bytes - cut)} of ${count(bytes)} bytes are attached to the next prompt`;
}

const asksForTerminal = /\b(?:tty|terminal)\b/i;
const terminalHint =
  'a command has no terminal and no input: run such a program in a different window';
const openHint = 'a process it started is still running; its output is not shown';

/** Runs a command, shows its output as it arrives, and attaches its end to the next prompt. */
export async function runShellLine(
  session: Session,
  { command, isAttached }: { readonly command: string; readonly isAttached: boolean },
  signal: AbortSignal,
  run = runInShell,
): Promise<readonly Entry[]> {
  const shown = createShown(session, signal, !isAttached);
  const ended = await run(command, signal, (text) => shown.add(text), session.context);
  const output = await shown.end();
  const { code = 0, killedBy, isOpen } = ended;
  const exit = killedBy === undefined ? `exit code ${code}` : `ended by ${killedBy}`;
  const end = signal.aborted ? 'stopped' : exit;
  const isFailed = !signal.aborted && ended.code !== 0;
  const parts = [end, ...(output.bytes === 0 ? ['no output'] : [])];
  if (isAttached && output.isBinary) parts.push('the output is binary, so it is not attached');
  else if (isAttached) {
    const { text, cut } = output;
    const missing = cut === 0 ? '' : `(the first ${count(cut)} bytes are missing)\n`;
    const content = `$ ${command}\n${missing}${text || '(no output)\n'}(${end})\n`;
    const file = { name: `!${commandName(command)}`, content };
    session.update((state) => step(withAttached(state, file)));
    parts.push(attachedText(output));
  }
  const lines = [parts.join('; ')];
  if (isOpen) lines.push(openHint);
  if (isFailed && asksForTerminal.test(output.text.slice(-2000))) lines.push(terminalHint);
  return lines.map((line) => notice(line));
}

/** The first line of a command, shortened to a number of characters. */
function commandName(command: string, maxLength = 60): string {
  const [first = '', ...others] = command.split('\n');
  const name = Array.from(first);
  if (name.length > maxLength) return `${name.slice(0, maxLength - 1).join('')}…`;
  return others.length === 0 ? first : `${first} …`;
}

/**
 * The words that run a command in the user's shell; on Windows, they may have to be passed unquoted. Elsewhere, both
 * outputs of the command are one pipe, which keeps their order.
 */
export function shellWords(command: string, environment: Environment, platform: NodeJS.Platform) {
  if (platform !== 'win32') {
    const shell = environment['SHELL'] || '/bin/sh';
    const words = ['-c', 'exec "$0" -c "$1" 2>&1', shell, command];
    return { program: '/bin/sh', words, isVerbatim: false };
  }
  // PowerShell adds the user's modules to this variable, cmd.exe does not.
  const modules = environment['PSModulePath'] ?? '';
  const isNew = /\\Documents\\PowerShell\\Modules/i.test(modules);
  if (isNew || /\\Documents\\WindowsPowerShell\\Modules/i.test(modules)) {
    const words = ['-NoLogo', '-NonInteractive', '-Command', command];
    return { program: isNew ? 'pwsh.exe' : 'powershell.exe', words, isVerbatim: false };
  }
  const program = environment['ComSpec'] || 'cmd.exe';
  return { program, words: ['/d', '/s', '/c', `"${command}"`], isVerbatim: true };
}

function startFailure(error: unknown): Failure {
  const reason = error instanceof Error ? error.message : String(error);
  return new Failure('unexpected', `cannot start the shell: ${reason}`, { cause: error });
}

/** The command has no terminal: it is in a separate session, with empty standard input. @throws Failure, such as for a long command */
function start(command: string, { environment, platform }: Context): ChildProcess {
  const isWindows = platform === 'win32';
  const { program, words, isVerbatim } = shellWords(command, environment, platform);
  try {
    return spawn(program, words, {
      stdio: ['ignore', 'pipe', isWindows ? 'pipe' : 'ignore'],
      env: { ...withoutKeys(environment) },
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
function endGroup(
  child: ChildProcess,
  { platform }: Context,
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
  signal: AbortSignal,
  onOutput: (text: string) => Promise<void>,
  context: Context,
) {
  signal.throwIfAborted();
  const child = start(command, context);
  let finish = () => {};
  const stop = () => {
    endGroup(child, context, 'SIGTERM');
    finish = context.clock.timer(graceTime, () => endGroup(child, context));
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const exited = once(child, 'exit').catch((error: unknown) => {
      throw startFailure(error);
    });
    const isOpen = await readOutput(outputOf(child), exited, context.clock, onOutput);
    const [code, killedBy] = (await exited) as [code: number | null, killedBy: string | null];
    if (isOpen && signal.aborted && context.platform !== 'win32') endGroup(child, context);
    return {
      code: code ?? undefined,
      killedBy: killedBy ?? undefined,
      /** A process that it started still has the output open. */
      isOpen: isOpen && !signal.aborted,
    };
  } catch (error) {
    endGroup(child, context);
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    finish();
  }
}
