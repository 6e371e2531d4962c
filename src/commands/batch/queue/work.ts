import type { Run } from '../../program/run.ts';
import { createCircuitBreaker } from '../../../batch/circuit-breaker.ts';
import type { BatchHeader, BatchQueue, QueueConnection } from '../../../batch/queue/batch-queue.ts';
import type { Tally } from '../../../batch/tally.ts';
import type { Notices } from '../../../output/notices.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import { type AnswerCheck, openCheck } from '../../../ask/check.ts';
import type { Service } from '../../service/service.ts';
import { truncatedResult } from '../sending/truncation.ts';
import type { SendingPlan } from '../plan.ts';
import type { Stopping } from '../stopping.ts';
import type { JobProcessing } from './answer-job.ts';
import type { WorkOptions } from './queue-options.ts';
import type { ResultKeeper } from './result-keeper.ts';

/** Consecutive failures that stop a worker; more with higher concurrency. */
const minFailures = 10;

export interface WorkPlan extends SendingPlan {
  /** Requests a minute of all workers; undefined leaves the limit of the batch unchanged. */
  readonly rate: number | undefined;
  /** Tokens a minute of this worker; undefined for no limit. */
  readonly tokens: number | undefined;
}

/** A run of `natter batch work`. */
export interface Work extends Run<WorkOptions> {
  readonly plan: WorkPlan;
  readonly connection: QueueConnection;
  readonly queue: BatchQueue;
  /** The name of the batch's input. */
  readonly input: string;
  readonly stream: boolean;
  readonly settings: ResolvedSettings;
  /** Undefined if answers are not checked. */
  readonly check: AnswerCheck | undefined;
  readonly service: Service;
  readonly tally: Tally;
  readonly keeper: ResultKeeper;
  /** Aborting it gives up storing results in the queue. */
  readonly giveUp: AbortController;
}

/** A worker's own service and limits, with the request options of the batch. */
export function batchSettings(own: ResolvedSettings, header: BatchHeader): ResolvedSettings {
  const { model, system, maxTokens } = header;
  const source = { kind: 'default', name: 'the batch' } as const;
  const params = Object.entries(header.params).map(([name, value]) => [name, { value, source }]);
  return {
    ...own,
    values: { ...own.values, model, system, maxTokens },
    params: Object.fromEntries(params) as ResolvedSettings['params'],
  };
}

/** The check that was submitted with the batch, and the settings with its `response_format`. */
export async function batchCheck(
  notices: Notices,
  { check }: BatchHeader,
  settings: ResolvedSettings,
): Promise<Pick<Work, 'check' | 'settings'>> {
  if (check === undefined) return { check: undefined, settings };
  const { schema, retries, select } = check;
  const own = schema === undefined ? undefined : { text: schema, label: 'the schema of the batch' };
  const limit = schema === undefined ? {} : { schemaRetries: String(retries) };
  const opened = await openCheck(
    notices,
    { ...limit, ...(select === undefined ? {} : { select }) },
    own,
  );
  return { check: opened, settings: opened?.settings(settings) ?? settings };
}

export function processingOf(work: Work, { stop, cancel, fail }: Stopping): JobProcessing {
  const { context, plan, settings, check, stream, service, queue, keeper, tally } = work;
  const maxWait = settings.values.retryMaxWait || Number.POSITIVE_INFINITY;
  const isReplay = service.replayedFrom !== undefined;
  const most = Math.max(minFailures, 2 * plan.concurrency);
  const { retryIncomplete } = plan;
  const limits = { retryIncomplete, stop, signal: cancel, clock: context.clock };
  return {
    secrets: context.secrets,
    sending: { ...service, settings, stream, check, ...limits },
    circuitBreaker: createCircuitBreaker({ most, maxWait, isReplay }),
    queue,
    keeper,
    tally,
    stopRun: fail,
    isStrict: work.options.strict === true,
    warnTruncated: (warning) => work.presentation.notices.warning(truncatedResult(warning)),
  };
}
