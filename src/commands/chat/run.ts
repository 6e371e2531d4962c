import { type AnswerCheck, openCheck } from '../../ask/check.ts';
import { chainClients, chainOf, chooseModel, fallbackModels } from '../../ask/fallback.ts';
import { openService } from '../../ask/service.ts';
import { usageLine } from '../../output/figures.ts';
import {
  filteredNotice,
  finishNotice,
  truncationFailure,
  truncationWarning,
} from '../../output/notices.ts';
import type { Context } from '../../run.ts';
import { cleanLine } from '../../secrets/secrets.ts';
import { openConversation, type OpenConversation } from '../../ask/open-conversation.ts';
import { printJson } from '../../output/print-data.ts';
import { dryRunDocument } from '../../ask/dry-run.ts';
import { readPrompt, withSystem } from '../../input/read-prompt.ts';
import { openSecretGuard } from '../../input/secret-guard.ts';
import {
  printAnswer,
  printChecked,
  promptWarning,
  type ReadyPrompt,
  type Shown,
} from './answer.ts';
import { type ChatOptions, type ChatRun, prepare } from './chat-run.ts';

/** Reports what is to know about a printed answer. @throws Failure `truncated_prompt` with `--strict` */
function conclude({ run, first }: ReadyPrompt, { metadata, removed }: Shown): void {
  const { presentation, context, format, options } = run;
  const { notices } = presentation;
  for (const notice of [finishNotice(metadata), filteredNotice(removed)]) {
    if (notice !== undefined) notices.notice(notice);
  }
  const { stdout, stderr } = context.streams;
  const onTerminal = stdout.isTerminal && stderr.isTerminal && !format.startsWith('json');
  if (onTerminal && options.quiet !== true) {
    const text = usageLine(metadata, first.answer.model, presentation.isSpoken);
    void stderr.write(`${presentation.noticeStyle.dim(cleanLine(context, text))}\n`);
  }
  const failure = options.strict === true ? truncationFailure(metadata) : undefined;
  if (failure !== undefined) throw failure;
  const warning = truncationWarning(metadata);
  if (warning !== undefined) notices.warning(warning);
}

/** @param run has the settings of the conversation */
async function converse(
  run: ChatRun,
  conversation: OpenConversation,
  check: AnswerCheck | undefined,
): Promise<void> {
  const { context, options, presentation, command = 'chat' } = run;
  const { notices } = presentation;
  const { messages } = conversation;
  const warn = (text: string) => notices.warning(text);
  const chain = chainOf(fallbackModels(run), messages, options.stream, warn);
  const first = chooseModel(chain);
  const sending = { ...run, settings: first.model.settings };
  if (options.dryRun === true) {
    await printJson(context, dryRunDocument(sending, first.planned));
    return;
  }
  if (options.raw === true && context.streams.stdout.isTerminal) {
    notices.warning('--raw lets the answer control this terminal');
  }
  const warning = promptWarning(run, first.planned);
  if (warning !== undefined) notices.warning(warning);
  const service = await openService(sending, { command, conversation: conversation.id });
  const clients = chainClients(service, sending);
  try {
    const record = conversation.record();
    const prompt = { run, messages, chain, first, service, clients, record };
    const shown =
      check === undefined ? await printAnswer(prompt) : await printChecked(prompt, check);
    conclude(prompt, shown);
  } finally {
    await clients.close();
    await service.close();
  }
}

/**
 * Sends a prompt that has been read, and prints the answer.
 * @throws Failure, or the reason `context.signal` was aborted with
 */
export async function sendPrompt(run: ChatRun, prompt: string): Promise<void> {
  const { options, presentation, settings, ownSchema } = run;
  const check = await openCheck(presentation.notices, options, ownSchema);
  const checked = { ...run, settings: check?.settings(settings) ?? settings };
  const conversation = await openConversation(checked, check?.prompt(prompt) ?? prompt);
  try {
    await converse({ ...checked, settings: conversation.settings }, conversation, check);
  } finally {
    await conversation.close();
  }
}

/** @throws Failure, or the reason `context.signal` was aborted with */
export async function chat(
  context: Context,
  options: ChatOptions,
  words: readonly string[],
): Promise<void> {
  const run = await prepare(context, options);
  const guard = openSecretGuard(run);
  const read = await readPrompt(run, words, guard);
  await sendPrompt({ ...run, guard, words, settings: withSystem(run.settings, read) }, read.prompt);
}
