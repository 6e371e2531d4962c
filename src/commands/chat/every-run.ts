import { failureOfSeveral } from '../../ask/ask.ts';
import { groupLines, type LineGroup, parseGroupLimits } from '../../ask/every.ts';
import { openAsker } from '../../ask/fallback.ts';
import { promptMessages } from '../../ask/plan-request.ts';
import {
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
import { createTextPrinter, refuseClosedOutput } from '../../output/answer-printer.ts';
import { openWindowStatus } from '../../output/window-status.ts';
import type { Context } from '../../run.ts';
import { withHint } from '../../cli/report.ts';
import { attachFiles } from '../../input/attach-files.ts';
import { namedInputs } from '../../input/read-prompt.ts';
import { openSecretGuard } from '../../input/secret-guard.ts';
import { type ChatOptions, type ChatRun, prepare, promptOf, refuseTogether } from './chat-run.ts';

/** Options of a single answer, or of a conversation. */
const unusable = [
  'jsonl',
  'dryRun',
  'continue',
  'resume',
  'branch',
  'conversation',
  'save',
  'split',
] as const;

const example = 'for example: tail -f app.log | ‹natter --every 200l,30s "flag anomalies"›';

const labelOf = ({ firstLine, lastLine }: LineGroup) =>
  firstLine === lastLine
    ? `line ${count(firstLine)}`
    : `lines ${count(firstLine)}-${count(lastLine)}`;

/** Makes the function that asks with the lines of a group. @throws Failure if nothing can answer */
async function openGroups(run: ChatRun, words: readonly string[]) {
  const { context, options, presentation, settings } = run;
  const { notices } = presentation;
  const { stdinEncoding: encoding, lossy } = options;
  const { system } = settings.values;
  const { signal, environment } = context;
  const { names } = namedInputs(options, words);
  const guard = openSecretGuard(run);
  const attached = await attachFiles(names, { encoding, lossy, signal, context, notices });
  const files = (await guard?.inspect(attached)) ?? attached;
  const prompt = promptOf(words);
  const asker = await openAsker(run, { command: 'chat --every' });
  const compose = async ({ text, firstLine }: LineGroup) => {
    const texts = [{ name: 'standard input', content: text, firstLine }];
    const [{ content } = { content: '' }] = (await guard?.inspect(texts)) ?? texts;
    const inSystem = hasInputPlaceholder(prompt) ? undefined : insertInput(system, content);
    const input = inSystem === undefined ? content : undefined;
    return promptMessages(inSystem ?? system, composePrompt({ prompt, files, input }));
  };
  const ask = async (group: LineGroup, sink?: Parameters<typeof asker.ask>[3]) => {
    const warn = (text: string) => notices.warning(`${labelOf(group)}: ${text}`);
    const answer = await asker.ask(() => compose(group), warn, guard, sink);
    return { ...answer, failure: answer.failure && withHint(answer.failure, environment) };
  };
  return { ask, close: () => asker.close() };
}

type Ask = Awaited<ReturnType<typeof openGroups>>['ask'];

/** Prints the answer for a group: a line of JSON, or a text below a heading. */
async function printGroup(
  run: ChatRun,
  ask: Ask,
  group: LineGroup,
  isFirst: boolean,
): Promise<Failure | undefined> {
  const { context, format, presentation, settings } = run;
  const { stdout } = context.streams;
  const { firstLine: first_line, lastLine: last_line } = group;
  if (format === 'json') {
    const { content, metadata, failure } = await ask(group);
    const answer = answerFields(metadata, content, settings.values.model);
    const failed = failureFields(failure, context);
    await stdout.write(jsonLine({ first_line, last_line, ...answer, ...failed }));
    return failure;
  }
  // The next group's heading starts on its own row.
  const printing = { ...run, format: format === 'exact' ? ('text' as const) : format };
  const printer = await createTextPrinter(printing, settings);
  await stdout.write(`${isFirst ? '' : '\n'}${heading(labelOf(group), presentation.style)}`);
  const { metadata, failure } = await ask(group, printer);
  await printer.end();
  const notice = failure === undefined ? finishNotice(metadata) : undefined;
  if (notice !== undefined) presentation.notices.notice(`${labelOf(group)}: ${notice}`);
  return failure;
}

async function answerAll(
  run: ChatRun,
  ask: Ask,
  groups: AsyncIterable<LineGroup>,
  showState: (group?: LineGroup) => void,
): Promise<void> {
  const { context, presentation } = run;
  const failures: Failure[] = [];
  let number = 0;
  for await (const group of groups) {
    showState(group);
    const failure = await printGroup(run, ask, group, number === 0);
    context.signal.throwIfAborted();
    showState();
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
  const failure = failureOfSeveral(failures, number, 'groups');
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
  const hint = 'each group is a new prompt, and is not saved; --json prints a line for each';
  refuseTogether('every', unusable, options, hint);
  const { signal, clock, streams } = context;
  if (streams.stdin.isTerminal || !options.stdin) {
    throw new Failure('usage', '--every needs standard input that is piped in', { hint: example });
  }
  const limits = parseGroupLimits(options.every ?? '');
  const run = await prepare(context, options);
  refuseClosedOutput(streams.stdout, false);
  const { presentation, settings } = run;
  const { stdinEncoding: encoding, lossy } = options;
  if (encoding !== undefined) requireEncoding(encoding);
  const onFull = (groups: number, lines: number) =>
    presentation.notices.notice(
      `input arrives faster than answers; reading is paused (${groups} groups with ${count(lines)} lines wait)`,
    );
  const { ask, close } = await openGroups(run, words);
  const isAnimated = presentation.animated && options.quiet !== true;
  const window = openWindowStatus(context, isAnimated, settings.values);
  const showState = (group?: LineGroup) =>
    group === undefined
      ? window.show('natter --every', 'none')
      : window.show(`${labelOf(group)} - natter --every`, 'busy');
  const reading = { limits, clock, encoding, lossy, onFull };
  try {
    await answerAll(run, ask, groupLines(streams.stdin.bytes(signal), reading), showState);
  } finally {
    window.end();
    await close();
  }
}
