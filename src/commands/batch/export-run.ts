import fs from 'node:fs';
import { requestUrl } from '../../batch/input/json-item.ts';
import type { InputItem } from '../../batch/input/item.ts';
import {
  indexFiles,
  readResults,
  resultsPath,
  scanResults,
} from '../../batch/results/read-results.ts';
import { cannotWrite } from '../../batch/results/result-file.ts';
import { missingItems } from '../../batch/results/result-index.ts';
import { resultName } from '../../batch/results/result-line.ts';
import { replaceWithTexts, resultTexts } from '../../batch/results/write-results.ts';
import { emptyTally } from '../../batch/tally.ts';
import { completionBody } from '../../client/contract.ts';
import { openBatch, pendingItems, selectItems } from './items.ts';
import { type BatchOptions, refuseSharedFiles } from './plan.ts';
import { itemFingerprint, planItem } from './sending/send-item.ts';
import type { Action, Context, GlobalOptions } from '../../run.ts';
import { expandName, refuseReservedName } from '../../storage/file-name.ts';
import { cannotRead } from '../../storage/storage-failure.ts';
import { Failure } from '../../failure.ts';
import { toFailure } from '../../output/ending-failure.ts';
import { count, countOf, tokenText } from '../../output/figures.ts';
import { jsonLine } from '../../output/json-answer.ts';

/** The file of `-o`, which `--force` replaces. */
interface FileOptions extends GlobalOptions {
  readonly output?: string;
  readonly force?: boolean;
}

/** Checks the file of `-o` before anything is read. @throws Failure `usage` */
function checkOutput({ platform }: Context, { output: name, force = false }: FileOptions): void {
  if (name === undefined) return;
  refuseReservedName(name, platform);
  if (force || !fs.existsSync(name)) return;
  throw new Failure('usage', `${name} already exists`, {
    hint: 'use a different name, or --force to replace it',
  });
}

/** Writes texts to a file, which they replace, or to standard output. @throws Failure `storage` */
async function writeTexts(
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

interface ExportOptions extends BatchOptions, FileOptions {
  /** A results file, whose answered items are left out. */
  readonly results?: string;
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

/** Runs `natter batch merge`. @throws Failure, `incomplete` if items are missing */
export const mergeBatch: Action<FileOptions, [names: readonly string[]]> = async (run, names) => {
  const { context, options, presentation } = run;
  checkOutput(context, options);
  const opened: number[] = [];
  const closeAll = () => opened.splice(0).forEach((descriptor) => fs.closeSync(descriptor));
  try {
    const files = names.flatMap((name) => {
      try {
        const found = expandName(name);
        if (found.length > 0) return found;
      } catch (error) {
        throw cannotRead(name, error);
      }
      const hint = 'name the results files to merge';
      throw new Failure('usage', `no file matches ${name}`, { hint });
    });
    const index = indexFiles(files, opened, (descriptor, file, add) => {
      scanResults(descriptor, files[file] ?? '', file, add);
    });
    const texts = resultTexts(index, [...opened]);
    // Windows does not replace a file that is open, and the merged files may include it.
    await writeTexts(context, options.output, texts, closeAll);
    const results = count(index.count);
    const { count: missing, text } = missingItems(index);
    if (missing > 0) {
      const items = missing === 1 ? 'item is' : 'items are';
      const message = `${count(missing)} ${items} missing among ${results} results: ${text}`;
      throw new Failure('incomplete', message, {
        hint: 'for the missing items, run ‹natter batch› on the whole input with -o and the merged file',
      });
    }
    let failed = 0;
    for (const { isAnswered } of index.results()) if (!isAnswered) failed += 1;
    const failures = failed === 0 ? '' : `, ${count(failed)} of them failures`;
    presentation.notices.notice(`merged ${results} results${failures}`);
  } finally {
    closeAll();
  }
};
