import { Failure } from '../../failure.ts';
import { createActivity } from '../../output/activity.ts';
import { silentNotices } from '../../output/notices.ts';
import { present } from '../print/presentation.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { withHint } from '../program/report.ts';
import { planRequest, promptMessages } from '../prompt/chat-request.ts';
import type { Shell } from '../completion/scripts.ts';
import { openService, type Service } from '../service/service.ts';
import { readSettings } from '../service/settings-access.ts';
import { readInput } from './read-input.ts';
import { suggestSystem } from './shell-prompts.ts';
import { sanitize } from '../../terminal/safety/sanitizer.ts';

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

/** Characters of an answer after which natter stops reading. */
const enough = 20_000;

async function readAnswer(
  context: Context,
  service: Service,
  request: Parameters<Service['client']['chat']>[0],
): Promise<string> {
  let text = '';
  for await (const event of service.client.chat(request, { signal: context.signal })) {
    if (event.type === 'text-received') text += event.text;
    if (text.length > enough) break;
  }
  return text;
}

async function suggest(context: Context, options: GlobalOptions, shell: Shell): Promise<string> {
  const line = (await readInput(context)).trim();
  if (line === '') throw new Failure('usage', 'the command line is empty');
  // The widget shows one line, and only for a failure.
  const presentation = { ...(await present(context, options)), notices: silentNotices };
  const { noticeStyle: style, animated } = presentation;
  const settings = readSettings(context, silentNotices, options);
  const messages = promptMessages(suggestSystem(shell, context.platform), line);
  const { request } = planRequest(settings, messages, true);
  const source = { command: 'shell-init' };
  const service = await openService(context, presentation, options, settings, source);
  const { stderr } = context.streams;
  const quiet = options.quiet === true || !stderr.isTerminal;
  const activity = createActivity({ stderr, style, clock: context.clock, quiet, animated });
  activity.waiting(request.model);
  try {
    return commandOf(await readAnswer(context, service, request));
  } finally {
    activity.settle();
    await service.close();
  }
}

/** The failure with its hint in one line, for the row below the command line. */
function onOneLine(error: unknown, { environment }: Context): unknown {
  if (!(error instanceof Failure)) return error;
  const { kind, message, hint } = withHint(error, environment);
  return new Failure(kind, hint === undefined ? message : `${message} (${hint})`, { cause: error });
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
    throw onOneLine(error, context);
  }
}
