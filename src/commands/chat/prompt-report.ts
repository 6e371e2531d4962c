import { isTooLong } from '../../ask/fallback.ts';
import type { PlannedRequest } from '../../ask/plan-request.ts';
import { rephrase } from '../../client/failure/request-failure.ts';
import { hasInputPlaceholder } from '../../conversation/compose-prompt.ts';
import { type ContextFit, largerModel, type ModelWindows } from '../../conversation/context-fit.ts';
import { Failure } from '../../failure.ts';
import {
  createActivity,
  createProgressReporter,
  type ProgressReporter,
} from '../../output/activity.ts';
import { endingFailure } from '../../output/ending-failure.ts';
import type { AnswerMetadata } from '../../output/answer-meter.ts';
import type { Service } from '../service/service.ts';
import type { ChatRun } from './chat-run.ts';
import { suggestModel } from '../service/near-model.ts';
import { withHint } from '../program/report.ts';

/** Shows waits, retries and reasoning. */
export function reportProgress(
  { context, presentation, options }: ChatRun,
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

const advice = '--split auto sends it in pieces';

/** Not for a prompt file, which has no words. */
function canSplit({ options, words }: ChatRun): boolean {
  const { jsonl, resume, branch, fallback, system } = options;
  const isOther = [jsonl, options.continue, resume, branch, fallback].some(
    (option) => option !== undefined && option !== false,
  );
  const text = words?.filter((word) => word !== '-').join(' ') ?? '';
  return text !== '' && !isOther && !hasInputPlaceholder(text) && !hasInputPlaceholder(system);
}

/** About a prompt that may not fit the window; undefined if it fits comfortably. */
export function promptWarning(run: ChatRun, { warning, fit }: PlannedRequest): string | undefined {
  if (warning === undefined || fit.state !== 'over') return warning;
  return canSplit(run) ? `${warning}; ${advice}` : warning;
}

/** A failure with a hint if the service has refused a prompt because of its length. */
function withSplitHint(
  failure: Failure,
  run: ChatRun,
  fit: ContextFit,
  windows: ModelWindows,
): Failure {
  if (failure.kind !== 'invalid_request') return failure;
  if ((fit.state !== 'over' && !isTooLong(failure)) || !canSplit(run)) return failure;
  const larger = fit.window === undefined ? undefined : largerModel(fit.window, windows);
  const model = larger === undefined ? '' : `-m ${larger} has a larger window; `;
  return rephrase(failure, { hint: `${model}${advice}` });
}

/** What was thrown instead of an answer, and the failure of the prompt, with hints of the command line. */
export async function explain(
  run: ChatRun,
  thrown: unknown,
  { request, fit }: PlannedRequest,
  service: Service,
): Promise<{ readonly error: unknown; readonly failure: Failure }> {
  const { environment, signal } = run.context;
  let error = thrown;
  if (thrown instanceof Failure && thrown.status !== undefined) {
    const windows = service.windows();
    error = suggestModel(withSplitHint(thrown, run, fit, windows), request.model, windows);
  }
  return { error, failure: withHint(endingFailure(error, signal), environment) };
}

/** @throws Failure `truncated_prompt` with `--strict` */
export async function reportTruncation(
  { options, presentation }: ChatRun,
  metadata: AnswerMetadata,
): Promise<void> {
  const truncated = await import('../../output/notices.ts');
  const failure = options.strict === true ? truncated.truncationFailure(metadata) : undefined;
  if (failure !== undefined) throw failure;
  presentation.notices.warning(truncated.truncationWarning(metadata) ?? '');
}
