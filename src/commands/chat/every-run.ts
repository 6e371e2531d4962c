import type { Answer, Sink } from '../../ask/ask.ts';
import { groupLines, type LineGroup, parseGroupLimits, type Waiting } from '../../ask/every.ts';
import {
  askChain,
  type Chain,
  type ChainClients,
  type FallbackModel,
  chainClients,
  chainOf,
  fallbackModels,
} from '../../ask/fallback.ts';
import { promptMessages } from '../../ask/plan-request.ts';
import {
  type AttachedFile,
  composePrompt,
  hasInputPlaceholder,
  insertInput,
} from '../../conversation/compose-prompt.ts';
import { requireEncoding } from '../../conversation/decode-text.ts';
import { Failure } from '../../failure.ts';
import { heading } from '../../output/comparison.ts';
import { failureFields } from '../../output/ending-failure.ts';
import { count } from '../../output/figures.ts';
import { answerFields, jsonLine } from '../../output/json-answer.ts';
import { finishNotice } from '../../output/notices.ts';
import { createTextOutput, lookOf } from '../../output/answer-output.ts';
import { openWindowStatus, type WindowStatus } from '../../output/window-status.ts';
import type { Context } from '../../run.ts';
import { cleanLine } from '../../secrets/secrets.ts';
import { withHint } from '../../cli/report.ts';
import { attachFiles } from '../../input/attach-files.ts';
import { openSecretGuard } from '../../input/secret-guard.ts';
import { openService, type Service } from '../../ask/service.ts';
import { type ChatOptions, type ChatRun, prepare } from './chat-run.ts';

/** What all groups have in common. */
interface EveryRun extends ChatRun {
  readonly models: readonly FallbackModel[];
  readonly prompt: string;
  readonly files: readonly AttachedFile[];
  readonly service: Service;
  readonly clients: ChainClients;
  readonly window: WindowStatus;
}

/** Options of a single answer, or of a conversation. */
const unusable = ['jsonl', 'dryRun', 'continue', 'resume', 'branch', 'save', 'split'] as const;

const example = 'for example: tail -f app.log | ‹natter --every 200l,30s "flag anomalies"›';

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

/** @throws Failure `secrets` if the lines may not be sent */
async function openChain(
  { options, settings, models, prompt, files, guard }: EveryRun,
  { text, firstLine }: LineGroup,
  warn: (text: string) => void,
): Promise<Chain> {
  const { system } = settings.values;
  const texts = [{ name: 'standard input', content: text, firstLine }];
  const [{ content } = { content: '' }] = (await guard?.inspect(texts)) ?? texts;
  const inSystem = hasInputPlaceholder(prompt) ? undefined : insertInput(system, content);
  const input = inSystem === undefined ? content : undefined;
  const whole = composePrompt({ prompt, files, input });
  const messages = promptMessages(inSystem ?? system, whole);
  return chainOf(models, messages, options.stream, warn);
}

async function answerGroup(run: EveryRun, group: LineGroup, sink?: Sink): Promise<Answer> {
  const { context, presentation, service, clients, guard } = run;
  const warn = (text: string) => presentation.notices.warning(`${labelOf(group)}: ${text}`);
  const answer = await askChain(
    openChain(run, group, warn),
    {
      clients,
      clock: service.clock,
      signal: context.signal,
      guard,
      warn,
    },
    sink,
  );
  const { failure } = answer;
  return { ...answer, failure: failure && withHint(failure, context.environment) };
}

async function printJson(run: EveryRun, group: LineGroup): Promise<Failure | undefined> {
  const { context, settings } = run;
  const { content, metadata, failure } = await answerGroup(run, group);
  const place = { first_line: group.firstLine, last_line: group.lastLine };
  const answer = answerFields(metadata, content, settings.values.model);
  const clean = (text: string) => cleanLine(context, text);
  const line = jsonLine({ ...place, ...answer, ...failureFields(failure, clean) });
  await context.streams.stdout.write(line);
  return failure;
}

async function printText(
  run: EveryRun,
  group: LineGroup,
  isFirst: boolean,
): Promise<Failure | undefined> {
  const { context, presentation, settings } = run;
  const { stdout } = context.streams;
  const { printer } = await createTextOutput(run, lookOf(settings));
  await stdout.write(`${isFirst ? '' : '\n'}${heading(labelOf(group), presentation.style)}`);
  const { metadata, failure } = await answerGroup(run, group, printer);
  await printer.end();
  const notice = failure === undefined ? finishNotice(metadata) : undefined;
  if (notice !== undefined) presentation.notices.notice(`${labelOf(group)}: ${notice}`);
  return failure;
}

/** Reports once that the input is held back. */
function createFullNotice({ presentation: { notices } }: ChatRun): (waiting: Waiting) => void {
  let wasReported = false;
  return ({ groups, lines }) => {
    if (wasReported) return;
    wasReported = true;
    notices.notice(
      `input arrives faster than answers; reading is paused (${groups} groups with ${count(lines)} lines wait)`,
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
  const chatRun = await prepare(context, options);
  const { presentation, settings } = chatRun;
  const { notices } = presentation;
  const { stdinEncoding: encoding, lossy } = options;
  const { signal, clock, streams } = context;
  if (encoding !== undefined) requireEncoding(encoding);
  const names = (options.file ?? []).filter((name) => name !== '-');
  const guard = openSecretGuard(chatRun);
  const attached = await attachFiles(names, { encoding, lossy, signal, context, notices });
  const files = (await guard?.inspect(attached)) ?? attached;
  const prompt = words.filter((word) => word !== '-').join(' ');
  const service = await openService(chatRun, { command: 'chat --every' });
  const clients = chainClients(service, chatRun);
  const isAnimated = presentation.animated && options.quiet !== true;
  const window = openWindowStatus(context, isAnimated, settings.values);
  const onFull = createFullNotice(chatRun);
  const reading = { limits, clock, encoding, lossy, onFull };
  const groups = groupLines(streams.stdin.bytes(signal), reading);
  try {
    const models = fallbackModels(chatRun);
    // The heading of the next group needs a row of its own.
    const format = chatRun.format === 'exact' ? 'text' : chatRun.format;
    const shared = { models, prompt, files, service, clients, guard, window };
    await answerAll({ ...chatRun, format, ...shared }, groups);
  } finally {
    window.end();
    await clients.close();
    await service.close();
  }
}
