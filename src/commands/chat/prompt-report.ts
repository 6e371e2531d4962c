import { Failure } from '../../failure.ts';
import { createActivity } from '../../output/activity.ts';
import { endingFailure } from '../../output/ending-failure.ts';
import type { AnswerMetadata } from '../../output/answer-meter.ts';
import { createProgressReporter, type ProgressReporter } from '../../output/progress-reporter.ts';
import type { Presentation } from '../print/presentation.ts';
import type { Context } from '../program/context.ts';
import type { Service } from '../service/service.ts';

interface ReportedPrompt {
  readonly context: Context;
  readonly options: {
    readonly quiet?: boolean;
    readonly reasoning?: boolean;
    readonly strict?: boolean;
  };
  readonly presentation: Presentation;
}

/** Shows waits, retries and reasoning. */
export function reportProgress(
  { context, presentation, options }: ReportedPrompt,
  model: string,
): ProgressReporter {
  const { stderr } = context.streams;
  const { noticeStyle: style, notices, animated } = presentation;
  const quiet = options.quiet === true;
  const activity = createActivity({ stderr, style, clock: context.clock, quiet, animated });
  const showReasoning = options.reasoning === true && !quiet;
  activity.waiting(model);
  return createProgressReporter({ stderr, style, notices, activity, model, showReasoning });
}

async function withCommandLineHint(failure: Failure, { environment }: Context): Promise<Failure> {
  const { withHint } = await import('../program/report.ts');
  return withHint(failure, environment);
}

async function withModelHint(error: unknown, model: string, service: Service): Promise<unknown> {
  const isRefused = error instanceof Failure && error.status !== undefined;
  if (!isRefused) return error;
  const { suggestModel } = await import('../service/near-model.ts');
  return suggestModel(error, model, service.windows());
}

/** The failure of a prompt, with hints of the command line. */
export async function explain(
  context: Context,
  thrown: unknown,
  model: string,
  service: Service,
): Promise<{ readonly error: unknown; readonly failure: Failure }> {
  const error = await withModelHint(thrown, model, service);
  const failure = await withCommandLineHint(endingFailure(error, context.signal), context);
  return { error, failure };
}

/** @throws Failure `truncated_prompt` with `--strict` */
export async function reportTruncation(
  { options, presentation }: ReportedPrompt,
  metadata: AnswerMetadata,
): Promise<void> {
  const truncated = await import('../../output/truncated-prompt.ts');
  const failure = options.strict === true ? truncated.truncationFailure(metadata) : undefined;
  if (failure !== undefined) throw failure;
  presentation.notices.warning(truncated.truncationWarning(metadata) ?? '');
}
