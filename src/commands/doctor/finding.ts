import { Failure, type FailureKind } from '../../failure.ts';
import type { JsonOptions, StartedRun } from '../../run.ts';
import { messageWithRequest, withHint } from '../../cli/report.ts';

export interface DoctorOptions extends JsonOptions {
  readonly offline?: boolean;
}

export type Examination = StartedRun<DoctorOptions>;

/** `note` is a fact that needs no action. Only a failed check decides the exit code. */
type Outcome = 'ok' | 'note' | 'warning' | 'failed' | 'skipped';

/** What a check found out. Its texts may contain text from a server or a file. */
export interface Finding {
  /** A stable name for programs, such as `free-space`. */
  readonly check: string;
  readonly outcome: Outcome;
  readonly text: string;
  /** What to type or to change. */
  readonly advice?: string | undefined;
  /** The kind of a failed check; it decides the exit code. */
  readonly kind?: FailureKind;
}

const make =
  (outcome: Outcome) =>
  (check: string, text: string, advice?: string): Finding => ({ check, outcome, text, advice });

export const ok = make('ok');
export const note = make('note');
export const warning = make('warning');
export const skipped = make('skipped');

/** Anything but a {@link Failure} is a bug, or the reason of an abort, and is thrown again. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

/** The failed check of a failure, with the hint of the command line as its advice. */
export function failed(
  check: string,
  failure: Failure,
  { context: { environment } }: Examination,
): Finding {
  const shown = withHint(failure, environment);
  const { kind, markedHint: advice } = shown;
  return { check, outcome: 'failed', text: messageWithRequest(shown), kind, advice };
}
