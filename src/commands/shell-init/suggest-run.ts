import { ask, type Sink } from '../../ask/ask.ts';
import type { CompletionRequest } from '../../client/contract.ts';
import { Failure } from '../../failure.ts';
import { createActivity } from '../../output/activity.ts';
import { silentNotices } from '../../output/notices.ts';
import { present } from '../print/presentation.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { withHint } from '../program/report.ts';
import { planRequest, promptMessages } from '../../ask/plan-request.ts';
import type { Shell } from '../completion/scripts.ts';
import { openService, type Service } from '../service/service.ts';
import { readSettings } from '../service/settings-access.ts';
import { commandOf, maxLength, refuse } from './command-answer.ts';
import { readInput } from './read-input.ts';
import { suggestSystem } from './shell-prompts.ts';

/** @throws Failure, or the reason of an abort */
async function readAnswer(
  { signal }: Context,
  { client, clock }: Service,
  request: CompletionRequest,
): Promise<string> {
  let length = 0;
  const sink: Sink = {
    event(event) {
      if (event.type === 'text-received') length += event.text.length;
      return length > maxLength ? Promise.reject(refuse('it is too long')) : undefined;
    },
  };
  const send = () => client.chat(request, { signal });
  const { content, error } = await ask({ send, clock, signal }, sink);
  if (error !== undefined) throw error;
  return content;
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
  const service = await openService(context, presentation, options, settings, {
    command: 'shell-init',
  });
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
