import type { ChatEvent } from '../../client/events.ts';
import {
  composePrompt,
  hasInputPlaceholder,
  insertInput,
} from '../../conversation/compose-prompt.ts';
import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import { requireEncoding } from '../../conversation/decode-text.ts';
import { Failure } from '../../failure.ts';
import { chooseAnswerFormat, type AnswerFormat } from '../../output/answer-format.ts';
import type { TextPrinter } from '../../output/answer-printer.ts';
import { heading } from '../../output/comparison/stacked-answers.ts';
import { failureFields, toFailure } from '../../output/ending-failure.ts';
import { count } from '../../output/figures.ts';
import { answerFields, jsonLine } from '../../output/json-answer.ts';
import { finishNotice } from '../../output/notices.ts';
import { receiveAnswer, type ReceivedAnswer } from '../../output/receive-answer.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { createTextOutput, lookOf } from '../print/answer-output.ts';
import { present, type Presentation } from '../print/presentation.ts';
import type { Context } from '../program/context.ts';
import { cleanLine } from '../program/mask-secrets.ts';
import { withHint } from '../program/report.ts';
import { attachFiles } from '../prompt/attach-files.ts';
import { openSecretGuard, type SecretGuard } from '../prompt/guard/secret-guard.ts';
import { planRequest, promptMessages } from '../prompt/chat-request.ts';
import { readRequestSettings } from '../service/settings-access.ts';
import { nameUsage } from '../service/metered-service.ts';
import { openService, type Service } from '../service/service.ts';
import { parseGroupLimits } from './every/group-limits.ts';
import { groupLines, type LineGroup, type Waiting } from './every/group-lines.ts';
import type { ChatOptions } from './run.ts';

interface EveryRun {
  readonly context: Context;
  readonly options: ChatOptions;
  readonly presentation: Presentation;
  readonly settings: ResolvedSettings;
  readonly format: AnswerFormat;
  readonly prompt: string;
  readonly files: readonly AttachedFile[];
  readonly service: Service;
  /** Undefined if nothing is checked. */
  readonly guard: SecretGuard | undefined;
}

/** Options of a single answer, or of a conversation. */
const unusable = [
  'jsonl',
  'dryRun',
  'continue',
  'resume',
  'branch',
  'save',
  'fallback',
  'split',
] as const;

const example = 'for example: tail -f app.log | natter --every 200l,30s "flag anomalies"';

const flagOf = (name: string) => `--${name.replace('dryRun', 'dry-run')}`;

/** @throws Failure `usage` */
function checkOptions({ streams }: Context, options: ChatOptions): void {
  const found = unusable.find((name) => options[name] !== undefined && options[name] !== false);
  if (found !== undefined) {
    throw new Failure('usage', `--every and ${flagOf(found)} cannot be used together`, {
      hint: 'each group is a new prompt, and is not saved; --json prints a line for each',
    });
  }
  if (!streams.stdin.isTerminal && options.stdin) return;
  throw new Failure('usage', '--every needs standard input that is piped in', { hint: example });
}

const labelOf = ({ firstLine, lastLine }: LineGroup) =>
  firstLine === lastLine
    ? `line ${count(firstLine)}`
    : `lines ${count(firstLine)}-${count(lastLine)}`;

async function* send(run: EveryRun, group: LineGroup, label: string): AsyncGenerator<ChatEvent> {
  const { context, options, settings, prompt, files, service, presentation, guard } = run;
  const { system } = settings.values;
  const texts = [{ name: label, content: group.text }];
  const [{ content } = { content: '' }] = (await guard?.inspect(texts)) ?? texts;
  const inSystem = hasInputPlaceholder(prompt) ? undefined : insertInput(system, content);
  const input = inSystem === undefined ? content : undefined;
  const text = composePrompt({ prompt, files, input });
  const messages = promptMessages(inSystem ?? system, text);
  const { request, warning } = planRequest(settings, messages, options.stream);
  if (warning !== undefined) presentation.notices.warning(`${label}: ${warning}`);
  const events = service.client.chat(request, { signal: context.signal });
  yield* guard?.restore(events) ?? events;
}

/** @param show undefined collects the text only @throws the reason of the context's signal */
async function answerGroup(
  run: EveryRun,
  group: LineGroup,
  show: ((event: ChatEvent) => Promise<void> | undefined) | undefined,
): Promise<ReceivedAnswer> {
  const { context, service } = run;
  return receiveAnswer(send(run, group, labelOf(group)), {
    clock: service.clock,
    show,
    failureOf: (error) => withHint(toFailure(error), context.environment),
  });
}

async function printJson(run: EveryRun, group: LineGroup): Promise<Failure | undefined> {
  const { context, settings } = run;
  const { content, metadata, failure } = await answerGroup(run, group, undefined);
  const place = { first_line: group.firstLine, last_line: group.lastLine };
  const answer = answerFields(metadata, content, settings.values.model);
  const clean = (text: string) => cleanLine(context, text);
  const error = failure === undefined ? {} : failureFields(failure, clean);
  await context.streams.stdout.write(jsonLine({ ...place, ...answer, ...error }));
  return failure;
}

async function printText(
  run: EveryRun,
  group: LineGroup,
  isFirst: boolean,
): Promise<Failure | undefined> {
  const { context, presentation, settings } = run;
  const { stdout } = context.streams;
  const { printer }: { printer: TextPrinter } = await createTextOutput({
    ...run,
    ...lookOf(settings),
  });
  await stdout.write(`${isFirst ? '' : '\n'}${heading(labelOf(group), presentation.style)}`);
  const { content, metadata, failure } = await answerGroup(run, group, (event) =>
    printer.event(event),
  );
  await printer.end();
  // The printers for a terminal end the line themselves.
  if (!stdout.isTerminal && content !== '' && !content.endsWith('\n')) await stdout.write('\n');
  const notice = failure === undefined ? finishNotice(metadata) : undefined;
  if (notice !== undefined) presentation.notices.notice(`${labelOf(group)}: ${notice}`);
  return failure;
}

/** Reports once that the input is held back. */
function createFullNotice({ notices }: Presentation): (waiting: Waiting) => void {
  let wasReported = false;
  return ({ groups, lines }) => {
    if (wasReported) return;
    wasReported = true;
    notices.notice(
      `the input is faster than the answers: ${groups} groups (${count(lines)} lines) are waiting, and the writer waits too`,
    );
  };
}

/** The failure of the run. @param groups their number */
function failureOf(failures: readonly Failure[], groups: number): Failure | undefined {
  const [first] = failures;
  if (first === undefined) return undefined;
  const { message, hint } = first;
  const isSame = failures.every(({ kind }) => kind === first.kind);
  const text = `${count(failures.length)} of ${count(groups)} groups failed; the first: ${message}`;
  return new Failure(isSame ? first.kind : 'unexpected', text, hint === undefined ? {} : { hint });
}

async function answerAll(run: EveryRun, groups: AsyncIterable<LineGroup>): Promise<void> {
  const { context, presentation, format } = run;
  const failures: Failure[] = [];
  let number = 0;
  for await (const group of groups) {
    const failure =
      format === 'json' ? await printJson(run, group) : await printText(run, group, number === 0);
    context.signal.throwIfAborted();
    number += 1;
    if (failure === undefined) continue;
    failures.push(failure);
    presentation.notices.warning(`${labelOf(group)}: ${failure.message}`);
  }
  if (number === 0) {
    presentation.notices.notice(
      `--every reads standard input, not -f, and it was empty; nothing is sent; ${example}`,
    );
  }
  const failure = failureOf(failures, number);
  if (failure !== undefined) throw failure;
}

/**
 * Answers standard input group by group, as it arrives.
 * @throws Failure of the groups that failed, at the end of the input; or the reason of the context's signal
 */
export async function runEvery(
  context: Context,
  options: ChatOptions,
  words: readonly string[],
): Promise<void> {
  checkOptions(context, options);
  const limits = parseGroupLimits(options.every ?? '');
  const presentation = await present(context, options);
  const { notices } = presentation;
  const format = chooseAnswerFormat(options, context.streams.stdout.isTerminal);
  const settings = readRequestSettings(context, notices, options);
  const { stdinEncoding: encoding, lossy } = options;
  if (encoding !== undefined) requireEncoding(encoding);
  const { signal, clock, streams } = context;
  const names = (options.file ?? []).filter((name) => name !== '-');
  const guard = await openSecretGuard(context, options, settings);
  const attached = await attachFiles(names, { encoding, lossy, signal, context, notices });
  const files = (await guard?.inspect(attached)) ?? attached;
  const prompt = words.filter((word) => word !== '-').join(' ');
  nameUsage(context, { command: 'chat --every' });
  const service = await openService(context, presentation, options, settings);
  const run = { context, options, presentation, settings, format, prompt, files, service, guard };
  const onFull = createFullNotice(presentation);
  const groups = groupLines(streams.stdin.bytes(signal), {
    limits,
    clock,
    encoding,
    lossy,
    onFull,
  });
  try {
    await answerAll(run, groups);
  } finally {
    await service.close();
  }
}
