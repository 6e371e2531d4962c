import path from 'node:path';
import type { Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import { resultsPath } from '../../batch/results/read-results.ts';
import { chooseRecording } from '../../ask/recording-choice.ts';
import { type BatchOptions, resultsFileOf } from './plan.ts';

/** The path behind all symbolic links, also of a file that does not exist. */
function placeOf(name: string): string {
  try {
    return resultsPath(name);
  } catch {
    // Opening the file fails for the same reason, and reports it.
    return path.resolve(name);
  }
}

/** @throws Failure `usage` if the file of `-o` or `--summary` is used for something else as well */
export function refuseSharedFiles(
  options: BatchOptions,
  input: string | undefined,
  environment: Environment,
): void {
  const { record, replay } = chooseRecording(options, environment);
  const results = { role: 'results file', content: 'results', option: '-o' };
  const files = [
    { role: 'input', name: input === '-' ? undefined : input },
    { role: 'recording', name: record ?? replay?.file },
    { ...results, name: options.output },
    { ...results, name: resultsFileOf(options) },
    { role: 'summary', name: options.summary, content: 'the summary', option: '--summary' },
  ];
  for (const [at, file] of files.entries()) {
    const { name } = file;
    if (name === undefined || !('option' in file)) continue;
    const same = files
      .slice(0, at)
      .find(
        (other) =>
          other.role !== file.role &&
          other.name !== undefined &&
          placeOf(name) === placeOf(other.name),
      );
    if (same === undefined) continue;
    const message = `${name} is the ${same.role}; ${file.content} cannot be written to it`;
    throw new Failure('usage', message, { hint: `use a different ${file.option} file` });
  }
}
