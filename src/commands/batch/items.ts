import { createReadStream, statSync } from 'node:fs';
import { isLoopbackName } from '../../address.ts';
import { type AnswerCheck, openCheck } from '../../ask/check.ts';
import type { InputItem, ItemContent } from '../../batch/input/item.ts';
import { readItems } from '../../batch/input/read-items.ts';
import {
  countItems,
  createSample,
  type InspectItems,
  isInShard,
  type ItemCounts,
  itemStatusOf,
  type Selection,
} from '../../batch/input/select-items.ts';
import type { Tally } from '../../batch/tally.ts';
import type { Message } from '../../client/contract.ts';
import { type BatchOptions, type BatchPlan, planBatch } from './plan.ts';
import type { Context } from '../../run.ts';
import { startRun } from '../../settings/read-settings.ts';
import { itemFingerprint } from './sending/send-item.ts';
import { cannotRead } from '../../storage/storage-failure.ts';
import { Failure } from '../../failure.ts';
import { count } from '../../output/figures.ts';
import type { Notices } from '../../output/notices.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { InputStream } from '../../terminal/device/streams.ts';

/** The schema follows the prompt; after a content that is not text, it is a message by itself. */
function withSchema({ messages, ...rest }: ItemContent, check: AnswerCheck): ItemContent {
  const last = messages.at(-1);
  // Messages of an OpenAI batch request may have any content.
  const content: unknown = last?.role === 'user' ? last.content : undefined;
  if (last === undefined || typeof content !== 'string') {
    const schema: Message = { role: 'user', content: check.prompt('').trimStart() };
    return { ...rest, messages: [...messages, schema] };
  }
  return {
    ...rest,
    messages: [...messages.slice(0, -1), { ...last, content: check.prompt(content) }],
  };
}

/** The items with the schema in what is sent. */
export async function* withSchemas(
  blocks: AsyncIterable<readonly InputItem[]>,
  check: AnswerCheck,
): AsyncGenerator<readonly InputItem[], void> {
  for await (const block of blocks) {
    yield block.map((item) =>
      item.problem === undefined
        ? { ...item, content: withSchema(item.content, check), given: item.content }
        : item,
    );
  }
}

export interface BatchInput {
  /** For messages. */
  readonly name: string;
  /** It is a regular file, which can be read twice. */
  readonly isRepeatable: boolean;
  /** @throws Failure `usage` if it cannot be read; the signal's reason when that aborts */
  bytes(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Bytes of a read. The items of a larger one would live so long that V8 moves them to its old objects. */
const readSize = 16_384;

async function* fileBytes(name: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of createReadStream(name, { signal, highWaterMark: readSize }))
      yield chunk as Uint8Array;
  } catch (error) {
    signal.throwIfAborted();
    throw cannotRead(name, error);
  }
}

function standardInput(stdin: InputStream, notices: Notices, isNamed: boolean): BatchInput {
  if (stdin.isTerminal && !isNamed) {
    throw new Failure('usage', 'no input: name a file or pipe prompts in', {
      hint: 'for example: natter batch prompts.txt',
    });
  }
  if (stdin.isTerminal) notices.notice('reading standard input; press Ctrl+D to end it');
  return {
    name: 'standard input',
    isRepeatable: false,
    bytes: (signal) => stdin.bytes(signal),
  };
}

/** @param file `-` and undefined mean standard input @throws Failure `usage` */
function openBatchInput(
  stdin: InputStream,
  notices: Notices,
  file: string | undefined,
): BatchInput {
  if (file === undefined || file === '-') return standardInput(stdin, notices, file === '-');
  try {
    const isRepeatable = statSync(file).isFile();
    return { name: file, isRepeatable, bytes: (signal) => fileBytes(file, signal) };
  } catch (error) {
    throw cannotRead(file, error);
  }
}

/**
 * What commands with the input of a batch begin with.
 * @returns also the settings with the `response_format` of the check, and `own` without it
 * @throws Failure `usage`, or `configuration`
 */
export async function openBatch<Options extends BatchOptions>(
  context: Context,
  options: Options,
  file: string | undefined,
) {
  const run = await startRun(context, options);
  const { presentation, settings: own } = run;
  const { notices } = presentation;
  const plan = planBatch(options, file, context.environment);
  const check = await openCheck(notices, options);
  const input = openBatchInput(context.streams.stdin, notices, file);
  return { ...run, notices, plan, own, settings: check?.settings(own) ?? own, check, input };
}

export interface BatchSource {
  readonly input: BatchInput;
  readonly plan: BatchPlan;
}

/** All items of the input. */
export interface AllItems extends BatchSource {
  /** Undefined if answers are not checked. */
  readonly check?: AnswerCheck | undefined;
  readonly notices: Notices;
}

export interface BatchItems extends AllItems {
  readonly selection: Selection;
}

async function countInput({ input, plan }: BatchSource, signal: AbortSignal): Promise<number> {
  let items = 0;
  for await (const block of readItems(input.bytes(signal), plan)) items += block.length;
  return items;
}

/** The items of the excerpt. @throws Failure `usage` for a sample of an input that cannot be read twice */
async function excerptItems(
  items: BatchSource,
  signal: AbortSignal,
): Promise<(index: number) => boolean> {
  const { input, plan } = items;
  const { limit, sample } = plan;
  if (sample === undefined) return (index) => index <= limit;
  if (!input.isRepeatable) {
    throw new Failure(
      'usage',
      `--sample cannot choose from ${input.name}, which is read only once`,
      {
        hint: 'save the input in a file, or use --limit',
      },
    );
  }
  return createSample(sample.size, await countInput(items, signal), sample.seed);
}

/** Whether the service is on a different machine, where no sandbox answers. */
function isElsewhere({ values: { baseUrl } }: ResolvedSettings): boolean {
  return baseUrl !== undefined && !isLoopbackName(new URL(baseUrl).hostname);
}

/**
 * Selects the items of the excerpt and the shard that have no answer yet.
 * @param find finds existing results
 * @throws Failure `usage`
 */
export async function selectItems(
  items: BatchSource,
  settings: ResolvedSettings,
  output: string | undefined,
  find: Selection['find'],
  signal: AbortSignal,
): Promise<Selection> {
  const { shard, limit } = items.plan;
  const isInExcerpt = await excerptItems(items, signal);
  return {
    takes: (index) => isInExcerpt(index) && isInShard(index, shard),
    highest: limit,
    find,
    fingerprint: (item) => itemFingerprint(item, settings),
    modelOf: ({ content: { model = settings.values.model } }) =>
      model === 'auto' ? undefined : model,
    resultsName: output ?? 'standard output',
    refusesSandbox: items.plan.usesService && isElsewhere(settings),
  };
}

/** All items of the input, in blocks. */
function readBatchItems(
  { input, plan, check }: BatchItems,
  signal: AbortSignal,
): AsyncIterable<readonly InputItem[]> {
  const blocks = readItems(input.bytes(signal), plan);
  return check?.hasSchema === true ? withSchemas(blocks, check) : blocks;
}

function warnUnsendable(
  name: string,
  bad: number,
  { line, problem }: InputItem,
  notices: Notices,
): void {
  const others = bad === 1 ? '' : `, and ${count(bad - 1)} more cannot be sent`;
  notices.warning(`line ${line} of ${name} ${problem}${others}; see the results`);
}

function noItem(name: string): Failure {
  return new Failure('usage', `${name} contains no prompt`, {
    hint: 'put one prompt on each line, or one row per prompt below a table header',
  });
}

/** Points out that answers of other models are not asked for again. */
function noticeModels(
  { ofOthers }: ItemCounts,
  { resultsName }: Selection,
  notices: Notices,
): void {
  const answers = [...ofOthers.values()].reduce((sum, one) => sum + one, 0);
  if (answers === 0) return;
  const [first, ...others] = ofOthers.keys();
  const models = others.length === 0 ? first : `${first} and other models`;
  const text = answers === 1 ? '1 answer' : `${count(answers)} answers`;
  notices.notice(`kept ${text} of ${models} in ${resultsName}; a different -o file asks again`);
}

/**
 * Reads a file once before anything is sent, to count its items and find answers to different prompts.
 * @param last the highest index with a result @param inspect may refuse items for other reasons
 * @throws Failure `usage`
 */
export async function checkItems(
  items: BatchItems,
  tally: Tally,
  last: number,
  signal: AbortSignal,
  inspect?: InspectItems,
): Promise<void> {
  const { input, selection, notices } = items;
  if (!input.isRepeatable) return;
  const counts = await countItems(readBatchItems(items, signal), selection, inspect);
  if (counts.items === 0 && last === 0) throw noItem(input.name);
  if (last > counts.items) {
    throw new Failure(
      'usage',
      `${selection.resultsName} has a result for item ${last}, but ${input.name} has only ${counts.items} items`,
      { hint: 'the input changed; use a different -o file' },
    );
  }
  tally.total = counts.total;
  tally.already = counts.answered;
  noticeModels(counts, selection, notices);
  if (counts.firstBad !== undefined)
    warnUnsendable(input.name, counts.bad, counts.firstBad, notices);
}

/**
 * The items to send, in blocks, as they are read. Counts the others if {@link checkItems} could not.
 * @throws Failure `usage` for an input without items, and as `itemStatusOf`
 */
export async function* pendingItems(
  items: BatchItems,
  tally: Tally,
  signal: AbortSignal,
): AsyncGenerator<readonly InputItem[], void> {
  const { input, selection } = items;
  let all = 0;
  let selected = 0;
  for await (const block of readBatchItems(items, signal)) {
    const pending: InputItem[] = [];
    for (const item of block) {
      // A pipe may stay open.
      if (item.index > selection.highest) break;
      const status = itemStatusOf(item, selection);
      if (status !== 'elsewhere') selected += 1;
      if (status === 'pending') pending.push(item);
      else if (status === 'answered' && !input.isRepeatable) tally.already += 1;
    }
    all += block.length;
    yield pending;
    if ((block.at(-1)?.index ?? 0) >= selection.highest) break;
  }
  signal.throwIfAborted();
  tally.total = selected;
  if (all === 0) throw noItem(input.name);
}
