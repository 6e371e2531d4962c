import type { ContextFit } from '../../conversation/context-fit.ts';
import { Failure } from '../../failure.ts';
import { createActivity } from '../../output/activity.ts';
import { endingFailure } from '../../output/ending-failure.ts';
import type { AnswerMetadata } from '../../output/answer-meter.ts';
import { createProgressReporter, type ProgressReporter } from '../../output/progress-reporter.ts';
import type { Presentation } from '../print/presentation.ts';
import type { Context } from '../program/context.ts';
import type { PlannedRequest } from '../prompt/chat-request.ts';
import type { Service } from '../service/service.ts';
import type { GivenPrompt } from './split-advice.ts';

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

/** Undefined if the request fits comfortably. */
export async function promptWarning(
  run: GivenPrompt,
  { warning, fit }: PlannedRequest,
): Promise<string | undefined> {
  if (warning === undefined || fit.state !== 'over') return warning;
  const { withSplit } = await import('./split-advice.ts');
  return withSplit(warning, run);
}

interface FailedPrompt extends GivenPrompt {
  readonly context: Context;
  readonly fit: ContextFit;
}

async function withRequestHint(
  run: FailedPrompt,
  error: unknown,
  model: string,
  service: Service,
): Promise<unknown> {
  const isRefused = error instanceof Failure && error.status !== undefined;
  if (!isRefused) return error;
  const { suggestModel } = await import('../service/near-model.ts');
  const { withSplitHint } = await import('./split-advice.ts');
  const windows = service.windows();
  return suggestModel(withSplitHint(error, run, run.fit, windows), model, windows);
}

/** The failure of a prompt, with hints of the command line. */
export async function explain(
  run: FailedPrompt,
  thrown: unknown,
  model: string,
  service: Service,
): Promise<{ readonly error: unknown; readonly failure: Failure }> {
  const { context } = run;
  const error = await withRequestHint(run, thrown, model, service);
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
