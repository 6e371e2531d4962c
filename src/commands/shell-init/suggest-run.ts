// What the keys of a shell ask for: a command for the text on the line, and why the last command failed.
import { ask, type Sink } from '../../ask/ask.ts';
import { collectBytes } from '../../input/attach-files.ts';
import { Failure } from '../../failure.ts';
import { createActivity } from '../../output/activity.ts';
import { silentNotices } from '../../output/notices.ts';
import { chat } from '../chat/run.ts';
import { present, type Context, type GlobalOptions } from '../../run.ts';
import { withHint } from '../../cli/report.ts';
import { planRequest, promptMessages } from '../../ask/plan-request.ts';
import type { Shell } from '../completion/command.ts';
import { openService } from '../../ask/service.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { sanitize } from '../../terminal/safety/sanitizer.ts';

const systems: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'macOS',
  linux: 'Linux',
  win32: 'Windows',
};

const names: Readonly<Record<Shell, string>> = {
  bash: 'bash',
  zsh: 'zsh',
  fish: 'fish',
  powershell: 'PowerShell',
};

const placeOf = (shell: Shell, { platform }: Context) =>
  `${names[shell]} on ${systems[platform] ?? platform}`;

/** Bytes; a command line is shorter. */
const maxInput = 64 * 1024;

/** Standard input as text. @throws Failure `usage` for a terminal, and for a long text */
async function readInput({ streams, signal }: Context): Promise<string> {
  if (streams.stdin.isTerminal) {
    throw new Failure('usage', 'the text is expected on standard input', {
      hint: 'echo "list the largest files" | ‹natter shell-init bash --suggest›',
    });
  }
  const tooLong = () => new Failure('usage', 'the text is longer than 64 KB');
  return String(await collectBytes(streams.stdin.bytes(signal), maxInput, tooLong));
}

/** The content of the first code block; an answer may end in it. */
const fence = /^[ \t]*(?:```|~~~)[^\n]*\n(?<code>[^]*?)(?:^[ \t]*(?:```|~~~)[ \t]*$|(?![^]))/m;

const inlineCode = /^`(?<code>[^`\n]+)`$/;

/** Line ends after which a command continues: an operator, a keyword, an opening bracket. */
const openEnd = /(?:\\|\||&&|\|\||[{([]|\b(?:do|then|else|in|begin))$/;
/** Lines that only continue a command: an operator, a keyword, a closing bracket. */
const continued = /^(?:\||&&|\|\||done\b|fi\b|esac\b|end\b|else\b|elif\b|[)}\]])/;

/** Whether the lines are clearly one command, and not an explanation with a command in it. */
function isOneCommand(lines: readonly string[]): boolean {
  if (lines.length <= 1 || lines.some((line) => line.includes('<<'))) return true;
  const last = lines.length - 1;
  const opens = lines.some((line, index) => index < last && openEnd.test(line.trimEnd()));
  return opens || lines.slice(1).some((line) => continued.test(line.trimStart()));
}

/** Characters; a longer answer is not a command. */
const maxLength = 8_000;

function refuse(problem: string): Failure {
  return new Failure('no_answer', `the answer is not a command: ${problem}`, {
    hint: 'describe it in other words',
  });
}

/** A prompt of a shell before the command, as in documentation. */
const withoutPrompt = (line: string) => line.replace(/^[$>%] (?=\S)/, '');

/**
 * The command in an answer, as text for a command line: no code fence, no control or hidden characters, tabs as spaces.
 * A line end remains only in a code block and in what is clearly one command.
 * @throws Failure `no_answer` for an answer without a command
 */
export function commandOf(answer: string): string {
  if (answer.length > maxLength) throw refuse('it is too long');
  const text = sanitize(answer).replaceAll('\t', '    ').trim();
  const block = fence.exec(text)?.groups?.['code'];
  const code = block ?? inlineCode.exec(text)?.groups?.['code'] ?? text;
  const lines = code
    .replace(/^\n+|\s+$/g, '')
    .split('\n')
    .map((line) => line.trimEnd());
  if (lines.join('') === '') throw refuse('it is empty');
  if (block === undefined && !isOneCommand(lines)) throw refuse(`it has ${lines.length} lines`);
  return lines.length === 1 ? withoutPrompt(lines[0]?.trim() ?? '') : lines.join('\n');
}

async function suggest(context: Context, options: GlobalOptions, shell: Shell): Promise<string> {
  const line = (await readInput(context)).trim();
  if (line === '') throw new Failure('usage', 'the command line is empty');
  // The widget shows one line, and only for a failure.
  const presentation = { ...(await present(context, options)), notices: silentNotices };
  const settings = readSettings(context, silentNotices, options);
  const system = `Write one command line for ${placeOf(shell, context)} that does what the text describes. If the text is a command already, correct or complete it. Reply with the command alone, on one line if possible: no explanation, no Markdown, no code fence.`;
  const { request } = planRequest(settings, promptMessages(system, line), true);
  const source = { command: 'shell-init' };
  const service = await openService({ context, options, presentation, settings }, source);
  const quiet = options.quiet === true || !context.streams.stderr.isTerminal;
  const activity = createActivity({ context, presentation, options: { ...options, quiet } });
  activity.waiting(request.model);
  const { signal } = context;
  const { client, clock } = service;
  let length = 0;
  const sink: Sink = {
    event(event) {
      if (event.type === 'text-received') length += event.text.length;
      return length > maxLength ? Promise.reject(refuse('it is too long')) : undefined;
    },
  };
  try {
    const send = () => client.chat(request, { signal });
    const { content, error } = await ask({ send, clock, signal }, sink);
    if (error !== undefined) throw error;
    return commandOf(content);
  } finally {
    activity.settle();
    await service.close();
  }
}

/**
 * Runs `natter shell-init <shell> --suggest`: prints the command for the text on standard input.
 * @throws Failure without a hint; or the reason of an abort
 */
export async function printSuggestion(
  context: Context,
  options: GlobalOptions,
  shell: Shell,
): Promise<void> {
  try {
    await context.streams.stdout.write(`${await suggest(context, options, shell)}\n`);
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof Failure)) throw error;
    // In one line, for the row below the command line.
    const { kind, message, hint } = withHint(error, context.environment);
    const text = hint === undefined ? message : `${message} (${hint})`;
    throw new Failure(kind, text, { cause: error });
  }
}

/** @throws Failure `usage` for a text that is not the exit status of a command that failed */
function failedStatus(text: string): number {
  const status = /^-?\d{1,10}$/.test(text) ? Number(text) : undefined;
  if (status === undefined) {
    throw new Failure('usage', `--explain must be an exit status, not "${text}"`);
  }
  if (status !== 0) return status;
  throw new Failure('usage', 'the last command did not fail: its exit status is 0');
}

/**
 * Runs `natter shell-init <shell> --explain <status>`: explains why the command on standard input failed.
 * @throws Failure; or the reason of an abort
 */
export async function printExplanation(
  context: Context,
  options: GlobalOptions,
  shell: Shell,
  status: string,
): Promise<void> {
  const code = failedStatus(status);
  const command = (await readInput(context)).trim();
  if (command === '') throw new Failure('usage', 'there is no last command to explain');
  const system = `A command failed in ${placeOf(shell, context)}. Explain the most likely cause in a few sentences, and show the corrected command if there is one. Only the command and its exit status are known, not its output.`;
  const prompt = `Command:\n${command}\n\nExit status: ${code}`;
  const chatOptions = { ...options, system, stream: true, stdin: false, save: false };
  await chat(context, chatOptions, [prompt]);
}
