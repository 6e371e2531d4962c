import { requireEncoding } from '../../conversation/decode-text.ts';
import { Failure } from '../../failure.ts';
import {
  chooseAnswerFormat,
  noticeClosedOutput,
  type AnswerFormat,
} from '../../output/answer-format.ts';
import type { TextPrinter } from '../../output/answer-printer.ts';
import { heading } from '../../output/comparison/stacked-answers.ts';
import { failureFields } from '../../output/ending-failure.ts';
import { count } from '../../output/figures.ts';
import { answerFields, jsonLine } from '../../output/json-answer.ts';
import { finishNotice } from '../../output/notices.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { createTextOutput, lookOf } from '../print/answer-output.ts';
import { present, type Presentation } from '../print/presentation.ts';
import { openWindowStatus, type WindowStatus } from '../print/window-status.ts';
import type { Context } from '../program/context.ts';
import { cleanLine } from '../program/mask-secrets.ts';
import { attachFiles } from '../prompt/attach-files.ts';
import { openSecretGuard } from '../prompt/guard/secret-guard.ts';
import { readRequestSettings } from '../service/settings-access.ts';
import { openService } from '../service/service.ts';
import { parseGroupLimits } from './every/group-limits.ts';
import { answerGroup, type GroupRun, labelOf } from './every/answer-group.ts';
import { groupLines, type LineGroup, type Waiting } from './every/group-lines.ts';
import type { ChatOptions } from './run.ts';
import { openPromptSender } from './prompt-sender.ts';

interface EveryRun extends GroupRun {
  readonly presentation: Presentation;
  readonly format: AnswerFormat;
  readonly window: WindowStatus;
}

/** Options of a single answer, or of a conversation. */
const unusable = ['jsonl', 'dryRun', 'continue', 'resume', 'branch', 'save', 'split'] as const;

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
  const { metadata, failure } = await answerGroup(run, group, (event) => printer.event(event));
  await printer.end();
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
    run.window.show(`${labelOf(group)} - natter --every`, 'busy');
    const failure =
      format === 'json' ? await printJson(run, group) : await printText(run, group, number === 0);
    context.signal.throwIfAborted();
    run.window.show('natter --every', 'none');
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

function openWindow(
  context: Context,
  { animated }: Presentation,
  { quiet }: ChatOptions,
  { values }: ResolvedSettings,
): WindowStatus {
  return openWindowStatus(context, animated && quiet !== true, values);
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
  noticeClosedOutput(context.streams.stdout, notices);
  const asked = chooseAnswerFormat(options, context.streams.stdout.isTerminal);
  // The heading of the next group needs a row of its own.
  const format = asked === 'exact' ? 'text' : asked;
  const settings = readRequestSettings(context, notices, options);
  const { stdinEncoding: encoding, lossy } = options;
  const { signal, clock, streams } = context;
  if (encoding !== undefined) requireEncoding(encoding);
  const names = (options.file ?? []).filter((name) => name !== '-');
  const guard = await openSecretGuard(context, options, settings);
  const attached = await attachFiles(names, { encoding, lossy, signal, context, notices });
  const files = (await guard?.inspect(attached)) ?? attached;
  const prompt = words.filter((word) => word !== '-').join(' ');
  const source = { command: 'chat --every' };
  const service = await openService(context, presentation, options, settings, source);
  const sender = openPromptSender({ context, options, presentation, settings, service });
  const group = { context, settings, prompt, files, service, sender, guard };
  const window = openWindow(context, presentation, options, settings);
  const onFull = createFullNotice(presentation);
  const groups = groupLines(streams.stdin.bytes(signal), {
    limits,
    clock,
    encoding,
    lossy,
    onFull,
  });
  try {
    await answerAll({ ...group, presentation, format, window }, groups);
  } finally {
    window.end();
    await sender.close();
    await service.close();
  }
}
