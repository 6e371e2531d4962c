import fs from 'node:fs';
import { requestUrl } from '../../batch/input/json-item.ts';
import type { Selection } from '../../batch/input/select-items.ts';
import { readResults, resultsPath } from '../../batch/results/read-results.ts';
import { cannotWrite } from '../../batch/results/result-file.ts';
import { resultName } from '../../batch/results/result-line.ts';
import { replaceWithTexts } from '../../batch/results/write-results.ts';
import { emptyTally } from '../../batch/tally.ts';
import { completionBody } from '../../client/contract.ts';
import { type Batch, openBatch, pendingItems, selectItems } from './items.ts';
import { type BatchOptions, refuseSharedFiles } from './plan.ts';
import { itemFingerprint, planItem } from './sending/send-item.ts';
import type { Action, Context } from '../../run.ts';
import { refuseReservedName } from '../../storage/file-name.ts';
import { Failure } from '../../failure.ts';
import { toFailure } from '../../output/ending-failure.ts';
import { count, countOf, tokenText } from '../../output/figures.ts';
import { jsonLine } from '../../output/json-answer.ts';
import type { Notices } from '../../output/notices.ts';

/** Checks the file of `-o` before anything is read. @throws Failure `usage` */
export function checkOutput(
  { platform }: Context,
  { output: name, force = false }: { readonly output?: string; readonly force?: boolean },
): void {
  if (name === undefined) return;
  refuseReservedName(name, platform);
  if (force || !fs.existsSync(name)) return;
  throw new Failure('usage', `${name} already exists`, {
    hint: 'use a different name, or --force to replace it',
  });
}

/** Writes texts to a file, which they replace, or to standard output. @throws Failure `storage` */
export async function writeTexts(
  { streams: { stdout }, signal }: Context,
  output: string | undefined,
  texts: AsyncIterable<string> | Iterable<string>,
  beforeRename?: () => void,
): Promise<void> {
  if (output === undefined) {
    for await (const text of texts) {
      await stdout.write(text);
      signal.throwIfAborted();
    }
    return;
  }
  try {
    await replaceWithTexts(resultsPath(output), texts, beforeRename);
  } catch (error) {
    signal.throwIfAborted();
    throw cannotWrite(output, error);
  }
}

export interface ExportOptions extends BatchOptions {
  /** A results file, whose answered items are left out. */
  readonly results?: string;
  readonly force?: boolean;
}

/** What was exported so far. */
interface Exported {
  requests: number;
  tokens: number;
  bytes: number;
  readonly models: Set<string>;
  readonly problems: string[];
}

/** The largest file that OpenAI accepts. */
const maxRequests = 50_000;
const maxBytes = 200_000_000;

async function* requestLines(
  batch: Batch,
  selection: Selection,
  exported: Exported,
): AsyncGenerator<string, void> {
  const { input, settings, context } = batch;
  for await (const item of pendingItems(batch, selection, emptyTally(), context.signal)) {
    const { line: number, index, id } = item;
    const place = `line ${number} of ${input.name}`;
    if (item.problem !== undefined) {
      exported.problems.push(`${place} ${item.problem}`);
      continue;
    }
    let line: string;
    try {
      const { request, fit } = planItem(item.content, settings, false);
      const name = id ?? resultName(index, itemFingerprint(item, settings));
      const body = completionBody(request);
      line = jsonLine({ custom_id: name, method: 'POST', url: requestUrl, body });
      exported.requests += 1;
      exported.tokens += fit.estimate;
      exported.models.add(request.model);
      exported.bytes += Buffer.byteLength(line);
    } catch (error) {
      exported.problems.push(`${place}: ${toFailure(error).message}`);
      continue;
    }
    yield line;
  }
}

/** @throws Failure `usage` if items are missing in the export */
function reportExport({ requests, tokens, bytes, models, problems }: Exported, notices: Notices) {
  if (requests > maxRequests || bytes > maxBytes || models.size > 1) {
    notices.warning(
      'OpenAI accepts at most 50,000 requests, 200 MB and one model in a file; --shard 1/2 divides the requests',
    );
  }
  const text = `exported ${countOf(requests, 'request')}, ${tokenText(tokens, true)}`;
  const [first] = problems;
  if (first === undefined) return notices.notice(text);
  const others = problems.length === 1 ? '' : `, and ${count(problems.length - 1)} more`;
  throw new Failure('usage', `${text}; not exported: ${first}${others}`, {
    hint: 'correct the lines, then export again',
  });
}

/** Writes the requests of an input as an OpenAI batch file. Sends nothing. */
export const exportBatch: Action<ExportOptions, [file: string | undefined]> = async (run, file) => {
  const { context, options } = run;
  const batch = await openBatch(run, file);
  const { output, results } = options;
  refuseSharedFiles(options, file, context.environment);
  checkOutput(context, options);
  if (results !== undefined && !fs.existsSync(results)) {
    throw new Failure('usage', `cannot read ${results}: no such file`);
  }
  const answered = results === undefined ? undefined : readResults(results);
  const selection = await selectItems(batch, results, answered);
  const exported = { requests: 0, tokens: 0, bytes: 0, models: new Set<string>(), problems: [] };
  await writeTexts(context, output, requestLines(batch, selection, exported));
  reportExport(exported, batch.notices);
};
