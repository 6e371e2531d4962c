import { statSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import type { BatchOptions } from './options.ts';
import { chooseRecording } from '../service/recording-choice.ts';

/** True also for symbolic and hard links to the same file. */
function isSameFile(one: string, other: string): boolean {
  if (path.resolve(one) === path.resolve(other)) return true;
  const [first, second] = [one, other].map((name) =>
    statSync(name, { bigint: true, throwIfNoEntry: false }),
  );
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino;
}

/**
 * Refuses the input or the recording as the results file.
 * @throws Failure `usage`
 */
export function refuseSharedFiles(
  options: BatchOptions,
  input: string | undefined,
  environment: Environment,
): void {
  const { output } = options;
  if (output === undefined) return;
  const hint = 'use a different -o file';
  if (input !== undefined && input !== '-' && isSameFile(output, input)) {
    throw new Failure('usage', `${output} is the input; results cannot be written to it`, { hint });
  }
  const { record, replay } = chooseRecording(options, environment);
  const recording = record ?? replay?.file;
  if (recording !== undefined && isSameFile(output, recording)) {
    throw new Failure('usage', `${output} is the recording; results cannot be written to it`, {
      hint,
    });
  }
}
