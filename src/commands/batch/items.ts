import { createReadStream, statSync } from 'node:fs';
import { isLoopbackName } from '../../address.ts';
import { type AnswerCheck, openCheck } from '../../ask/check.ts';
import type { InputItem, ItemContent } from '../../batch/input/item.ts';
import { readItems } from '../../batch/input/read-items.ts';
import { isInShard, takeSample } from '../../batch/input/select-items.ts';
import { ResultIndex } from '../../batch/results/result-index.ts';
import type { Tally } from '../../batch/tally.ts';
import type { Message } from '../../client/contract.ts';
import { textMessages } from '../../conversation/message-text.ts';
import { type BatchOptions, planBatch, type SendingRun } from './plan.ts';
import type { Run, StartedRun } from '../../run.ts';
import { withSettings } from '../../settings/read-settings.ts';
import { itemFingerprint } from './sending/send-item.ts';
import { cannotRead } from '../../storage/storage-failure.ts';
import { Failure } from '../../failure.ts';
import { type History, readHistory } from '../../input/read-messages.ts';
import {
  decide,
  guardRequest,
  type LocatedSecret,
  locateSecrets,
  planGuard,
} from '../../input/secret-guard.ts';
import { count, countOf } from '../../output/figures.ts';
import type { Notices } from '../../output/notices.ts';
import type { InputStream } from '../../terminal/device/streams.ts';

/** The schema follows the prompt; after a content that is not text, it is a message by itself. */
function withSchema(messages: readonly Message[], check: AnswerCheck): readonly Message[] {
  const last = messages.at(-1);
  // Messages of an OpenAI batch request may have any content.
  const content: unknown = last?.role === 'user' ? last.content : undefined;
  if (last === undefined || typeof content !== 'string') {
    return [...messages, { role: 'user', content: check.prompt('').trimStart() }];
  }
  return [...messages.slice(0, -1), { ...last, content: check.prompt(content) }];
}

/** @param file `-` and undefined mean standard input @throws Failure `usage`, also when it is read */
function openBatchInput(stdin: InputStream, notices: Notices, file: string | undefined) {
  if (file !== undefined && file !== '-') {
    try {
      return {
        name: file,
        /** It is a regular file, which can be read twice. */
        isRepeatable: statSync(file).isFile(),
        async *bytes(signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
          try {
            for await (const chunk of createReadStream(file, { signal })) yield chunk as Buffer;
          } catch (error) {
            signal.throwIfAborted();
            throw cannotRead(file, error);
          }
        },
      };
    } catch (error) {
      throw cannotRead(file, error);
    }
  }
  if (stdin.isTerminal && file === undefined) {
    throw new Failure('usage', 'no input: name a file or pipe prompts in', {
      hint: 'for example: ‹natter batch prompts.txt›',
    });
  }
  if (stdin.isTerminal) notices.notice('reading standard input; press Ctrl+D to end it');
  const bytes = (signal: AbortSignal) => stdin.bytes(signal);
  return { name: 'standard input', isRepeatable: false, bytes };
}

export type BatchInput = ReturnType<typeof openBatchInput>;

/** What commands with the input of a batch begin with. @throws Failure `usage`, or `configuration` */
export async function openBatch<Options extends BatchOptions>(
  started: StartedRun<Options>,
  file: string | undefined,
) {
  const run = withSettings(started);
  const { context, options } = run;
  const { notices } = run.presentation;
  const plan = planBatch(options, file, context.environment);
  const check = await openCheck(notices, options);
  const input = openBatchInput(context.streams.stdin, notices, file);
  if (options.messages === '-' && (file ?? '-') === '-') {
    throw new Failure('usage', 'standard input cannot have both the messages and the prompts', {
      hint: 'name a file for one of them',
    });
  }
  const history = await readHistory({ ...run, options: { ...options, stdin: true } }, true);
  const own = history.settings;
  return {
    ...run,
    notices,
    plan,
    /** The parameters with the `response_format` of the check. */
    settings: check?.settings(own) ?? own,
    /** The parameters without it. */
    own,
    check,
    input,
    history,
  };
}

/** A command with the input of a batch, before anything is read. */
export type Batch<Options extends BatchOptions = BatchOptions> = Awaited<
  ReturnType<typeof openBatch<Options>>
>;

/** All items of the input, with the turns of `--messages` before the prompt, and the schema behind it. */
async function* readBatch(
  { input, plan, check, history }: Batch,
  signal: AbortSignal,
): AsyncGenerator<InputItem, void> {
  const { messages: before } = history;
  for await (const item of readItems(input.bytes(signal), plan)) {
    const { content, ...rest } = item;
    const isChanged = before.length > 0 || check?.schema !== undefined;
    if (!isChanged || item.problem !== undefined || content === undefined) {
      yield item;
      continue;
    }
    const [prompt, ...others] = content.messages;
    if (before.length > 0 && (prompt?.role !== 'user' || others.length > 0)) {
      const problem = 'has messages of its own; leave out --messages and -M';
      yield { ...rest, problem };
      continue;
    }
    const all = [...before, ...content.messages];
    const messages = check?.schema === undefined ? all : withSchema(all, check);
    yield { ...item, content: { ...content, messages }, given: content };
  }
}

/**
 * Selects the items of the excerpt and the shard that have no answer yet, and counts the others in `tally`.
 * @param resultsName the results file in messages
 * @throws Failure `usage`
 */
export async function selectItems(
  batch: Batch,
  tally: Tally,
  resultsName = 'standard output',
  results: { readonly find: ResultIndex['find']; readonly last: number } = new ResultIndex(),
) {
  const { plan, settings, context, input, notices, options } = batch;
  const { baseUrl } = settings.values;
  const host = baseUrl === undefined ? undefined : new URL(baseUrl).hostname;
  /** The service is on a different machine, so it is no sandbox, whose answers would pass for its own. */
  const refusesSandbox = plan.usesService && host !== undefined && !isLoopbackName(host);
  const sample = plan.sample && (await takeSample(readBatch(batch, context.signal), plan.sample));
  const sampled = sample && new Set(sample.items.map(({ index }) => index));
  const canCheck = input.isRepeatable || sample !== undefined;
  /** Whether the item at this index belongs to the run. */
  const takes = (index: number) =>
    index <= plan.limit && sampled?.has(index) !== false && isInShard(index, plan.shard);
  const noItem = () =>
    new Failure('usage', `${input.name} contains no prompt`, {
      hint: 'put one prompt on each line, or one row per prompt below a table header',
    });
  /** @throws Failure `usage` if the item was answered for a different prompt or by the sandbox */
  const hasAnswer = (item: InputItem): boolean => {
    const result = results.find(item.index);
    if (result?.isAnswered !== true) return false;
    const isSame =
      item.problem === undefined && itemFingerprint(item, settings) === result.fingerprint;
    if (isSame && !(result.isFromSandbox === true && refusesSandbox)) return true;
    const answer = isSame ? 'answer of the sandbox to' : 'answer to a different prompt for';
    const place = `item ${item.index} (line ${item.line} of the input)`;
    throw new Failure('usage', `${resultsName} has the ${answer} ${place}`, {
      hint: isSame
        ? 'use a different -o file, or --sandbox to continue there'
        : 'the input, its order, --template or --system changed; use a different -o file',
    });
  };
  /**
   * The items to send, as they are read.
   * @param onItem gets every item of the input before anything is sent; undefined while they are sent
   * @throws Failure `usage` for an input without items, and for an answer that cannot stay
   */
  async function* pending(
    signal: AbortSignal,
    onItem?: (item: InputItem) => void,
  ): AsyncGenerator<InputItem, void> {
    const isFirst = onItem !== undefined || !canCheck;
    let last = 0;
    let selected = 0;
    for await (const item of sample?.items ?? readBatch(batch, signal)) {
      onItem?.(item);
      last = item.index;
      if (takes(item.index)) {
        selected += 1;
        if (!hasAnswer(item)) yield item;
        else if (isFirst) tally.already += 1;
      }
      // A pipe may stay open.
      if (last >= plan.limit && onItem === undefined) break;
    }
    signal.throwIfAborted();
    tally.total = selected;
    if (last === 0 && onItem === undefined) throw noItem();
  }
  return {
    takes,
    pending,
    /**
     * Reads a file once before anything is sent, to count its items, find answers to different prompts, and look for
     * secrets.
     * @param inspect gets the items to send, and may refuse them
     * @param onItem gets every item
     * @throws Failure `usage`
     */
    async check(
      inspect?: (item: InputItem) => void,
      onItem?: (item: InputItem) => void,
    ): Promise<void> {
      if (!canCheck) return;
      let items = sample?.total ?? 0;
      let firstBad: InputItem | undefined;
      let bad = 0;
      const found = pending(context.signal, (item) => {
        items = Math.max(items, item.index);
        onItem?.(item);
      });
      for await (const item of found) {
        if (item.problem !== undefined) {
          bad += 1;
          firstBad ??= item;
        }
        inspect?.(item);
      }
      if (items === 0 && results.last === 0) throw noItem();
      if (results.last > items) {
        const message = `${resultsName} has a result for item ${results.last}, but ${input.name} has only ${items} items`;
        throw new Failure('usage', message, {
          hint: 'the input changed; use a different -o file',
        });
      }
      if (options.model !== undefined && tally.already > 0) {
        const kept = countOf(tally.already, 'answer');
        notices.notice(
          `kept ${kept} in ${resultsName}, of whatever model; a different -o file asks again`,
        );
      }
      if (firstBad?.problem === undefined) return;
      const others = bad === 1 ? '' : `, and ${count(bad - 1)} more cannot be sent`;
      notices.warning(
        `line ${firstBad.line} of ${input.name} ${firstBad.problem}${others}; see the results`,
      );
    },
  };
}

/** Which items a run sends. */
export type Selection = Awaited<ReturnType<typeof selectItems>>;

/** All that is sent of an item, for checks; not the text of a request. */
export const itemText = ({ content }: { readonly content?: ItemContent | undefined }) =>
  content === undefined
    ? ''
    : [content.system ?? '', ...textMessages(content.messages).map((one) => one.content)].join(
        '\n',
      );

/**
 * Checks the items of a file before anything is sent; those of a pipe or a queue are checked one by one.
 * @param file undefined if its items cannot be inspected
 * @param history texts that are sent with each item
 * @throws Failure `usage` for options that cannot be used together
 */
export function openGuard(run: Run, file?: BatchInput, history: History['texts'] = []) {
  const { context } = run;
  const plan = planGuard(run);
  const inspected = plan?.mode === 'ask' && file?.isRepeatable === true ? file : undefined;
  const located: LocatedSecret[] = history.flatMap((text) => locateSecrets(context, text));
  return {
    /** Looks for secrets in an item of a file, before anything is sent. */
    inspect(this: void, item: InputItem): void {
      if (inspected === undefined) return;
      const { given: content = item.content } = item;
      const found = locateSecrets(context, {
        name: inspected.name,
        content: itemText({ content }),
      });
      located.push(...found.map((secret) => ({ ...secret, line: item.line })));
    },
    /**
     * What requests pass; undefined if they are not checked: the items that were inspected have no secret, or it may be
     * sent.
     * @throws Failure `secrets` if the file may not be sent
     */
    async forRequests(): Promise<SendingRun['guard']> {
      if (plan === undefined) return undefined;
      if (inspected === undefined) return (request) => guardRequest(context, plan, request);
      if (located.length === 0) return undefined;
      const choice = await decide(run, plan, located);
      const redacting = { ...plan, mode: 'redact' } as const;
      return choice === 'send' ? undefined : (request) => guardRequest(context, redacting, request);
    },
  };
}
