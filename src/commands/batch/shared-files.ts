import { type BigIntStats, statSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import { chooseRecording } from '../../ask/recording-choice.ts';
import { type BatchOptions, resultsFileOf } from './plan.ts';

function statsOf(name: string): BigIntStats | undefined {
  try {
    return statSync(name, { bigint: true, throwIfNoEntry: false });
  } catch {
    // Opening the file fails for the same reason, and reports it.
    return undefined;
  }
}

/** True also for symbolic and hard links to the same file. */
function isSameFile(one: string, other: string): boolean {
  if (path.resolve(one) === path.resolve(other)) return true;
  const [first, second] = [one, other].map(statsOf);
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino;
}

/** A file that a run reads or writes. */
interface UsedFile {
  /** What it is, in messages. */
  readonly role: string;
  readonly name: string | undefined;
}

interface WrittenFile extends UsedFile {
  readonly content: string;
  readonly option: string;
}

/** @throws Failure `usage` if `file` is one of `others` */
function refuseSame({ name, content, option }: WrittenFile, others: readonly UsedFile[]): void {
  if (name === undefined) return;
  const same = others.find((other) => other.name !== undefined && isSameFile(name, other.name));
  if (same === undefined) return;
  throw new Failure('usage', `${name} is the ${same.role}; ${content} cannot be written to it`, {
    hint: `use a different ${option} file`,
  });
}

/** @throws Failure `usage` if the file of `-o` or `--summary` is used for something else as well */
export function refuseSharedFiles(
  options: BatchOptions,
  input: string | undefined,
  environment: Environment,
): void {
  const { record, replay } = chooseRecording(options, environment);
  const others: UsedFile[] = [
    { role: 'input', name: input === '-' ? undefined : input },
    { role: 'recording', name: record ?? replay?.file },
  ];
  for (const name of new Set([options.output, resultsFileOf(options)])) {
    const results = { role: 'results file', name, content: 'results', option: '-o' };
    refuseSame(results, others.slice(0, 2));
    others.push(results);
  }
  const summary = { role: 'summary', name: options.summary, content: 'the summary' };
  refuseSame({ ...summary, option: '--summary' }, others);
}
