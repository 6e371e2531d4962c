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
  const results = [options.output, resultsFileOf(options)];
  const used = [
    { role: 'input', name: input === '-' ? undefined : input },
    { role: 'recording', name: record ?? replay?.file },
  ];
  const refuse = (name: string | undefined, content: string, option: string) => {
    if (name === undefined) return;
    const same = used.find((other) => other.name && placeOf(other.name) === placeOf(name));
    if (same === undefined) return;
    const message = `${name} is the ${same.role}; ${content} cannot be written to it`;
    throw new Failure('usage', message, { hint: `use a different ${option} file` });
  };
  for (const name of results) refuse(name, 'results', '-o');
  used.push(...results.map((name) => ({ role: 'results file', name })));
  refuse(options.summary, 'the summary', '--summary');
}
