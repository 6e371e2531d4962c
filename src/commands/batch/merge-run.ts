import fs from 'node:fs';
import { indexFiles, scanResults } from '../../batch/results/read-results.ts';
import { missingItems } from '../../batch/results/result-index.ts';
import { resultTexts } from '../../batch/results/write-results.ts';
import { checkOutput, writeTexts } from './export-run.ts';
import type { GlobalOptions, StartedRun } from '../../run.ts';
import { cannotRead } from '../../storage/storage-failure.ts';
import { expandName } from '../../storage/file-name.ts';
import { Failure } from '../../failure.ts';
import { count } from '../../output/figures.ts';

/** Runs `natter batch merge`. @throws Failure, `incomplete` if items are missing */
export async function mergeBatch(
  run: StartedRun<GlobalOptions & { readonly output?: string; readonly force?: boolean }>,
  names: readonly string[],
): Promise<void> {
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
}
