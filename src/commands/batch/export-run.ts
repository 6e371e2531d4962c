import fs from 'node:fs';
import { requestUrl } from '../../batch/input/json-item.ts';
import type { InputItem } from '../../batch/input/item.ts';
import { readResults, resultsPath } from '../../batch/results/read-results.ts';
import { cannotWrite } from '../../batch/results/result-file.ts';
import { resultName } from '../../batch/results/result-line.ts';
import { replaceWithTexts } from '../../batch/results/write-results.ts';
import { emptyTally } from '../../batch/tally.ts';
import { completionBody } from '../../client/contract.ts';
import { openBatch, pendingItems, selectItems } from './items.ts';
import { type BatchOptions, refuseSharedFiles } from './plan.ts';
import { itemFingerprint, planItem } from './sending/send-item.ts';
import type { Action, Context } from '../../run.ts';
import { refuseReservedName } from '../../storage/file-name.ts';
import { Failure } from '../../failure.ts';
import { toFailure } from '../../output/ending-failure.ts';
import { count, countOf, tokenText } from '../../output/figures.ts';
import { jsonLine } from '../../output/json-answer.ts';

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

/** The largest file that OpenAI accepts. */
const maxRequests = 50_000;
const maxBytes = 200_000_000;

/**
 * Writes the requests of an input as an OpenAI batch file. Sends nothing.
 * @throws Failure `usage` if items are missing in the export
 */
export const exportBatch: Action<ExportOptions, [file: string | undefined]> = async (run, file) => {
  const { context, options } = run;
  const batch = await openBatch(run, file);
  const { input, settings, notices } = batch;
  const { output, results } = options;
  refuseSharedFiles(context, options, file);
  checkOutput(context, options);
  if (results !== undefined && !fs.existsSync(results)) {
    throw new Failure('usage', `cannot read ${results}: no such file`);
  }
  const answered = results === undefined ? undefined : readResults(results);
  const selection = await selectItems(batch, results, answered);
  let [requests, tokens, bytes] = [0, 0, 0];
  const models = new Set<string>();
  const problems: string[] = [];
  const lineOf = (item: InputItem): string | undefined => {
    const place = `line ${item.line} of ${input.name}`;
    if (item.problem !== undefined) return void problems.push(`${place} ${item.problem}`);
    try {
      const { request, fit } = planItem(item.content, settings, false);
      const name = item.id ?? resultName(item.index, itemFingerprint(item, settings));
      requests += 1;
      tokens += fit.estimate;
      models.add(request.model);
      const body = completionBody(request);
      return jsonLine({ custom_id: name, method: 'POST', url: requestUrl, body });
    } catch (error) {
      return void problems.push(`${place}: ${toFailure(error).message}`);
    }
  };
  async function* lines(): AsyncGenerator<string, void> {
    for await (const item of pendingItems(batch, selection, emptyTally(), context.signal)) {
      const line = lineOf(item);
      bytes += Buffer.byteLength(line ?? '');
      if (line !== undefined) yield line;
    }
  }
  await writeTexts(context, output, lines());
  if (requests > maxRequests || bytes > maxBytes || models.size > 1) {
    notices.warning(
      'OpenAI accepts at most 50,000 requests, 200 MB and one model in a file; --shard 1/2 divides the requests',
    );
  }
  const text = `exported ${countOf(requests, 'request')}, ${tokenText(tokens, true)}`;
  const [first, ...others] = problems;
  if (first === undefined) return notices.notice(text);
  const more = others.length === 0 ? '' : `, and ${count(others.length)} more`;
  throw new Failure('usage', `${text}; not exported: ${first}${more}`, {
    hint: 'correct the lines, then export again',
  });
};
