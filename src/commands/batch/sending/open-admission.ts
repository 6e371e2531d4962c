import type { InputItem } from '../../../batch/input/item.ts';
import { shortTime } from '../report/batch-progress.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import { estimateRequest } from '../../../usage/budget.ts';
import type { Presentation } from '../../print/presentation.ts';
import type { Service } from '../../service/service.ts';
import { type Admission, createAdmission } from './admission.ts';
import type { BatchPlan } from '../plan.ts';
import { planItem } from './send-item.ts';

/** In milliseconds; a shorter pause is not worth a notice. */
const longPause = 5000;

/** Reports a pause for a rate limit when there is no progress line. */
export function pauseNotice({ animated, notices }: Presentation): (wait: number) => void {
  return (wait) => {
    if (animated || wait < longPause) return;
    notices.notice(`rate limit: pausing new requests for ${shortTime(wait)}`);
  };
}

/** Tokens of the request, and the limit of its answer. */
function estimateItem({ content }: InputItem, settings: ResolvedSettings) {
  if (content === undefined) return { prompt: 0, answer: 0 };
  try {
    return estimateRequest(planItem(content, settings, false).request);
  } catch {
    // An item that cannot be sent: sending it reports why.
    return { prompt: 0, answer: 0 };
  }
}

/** Milliseconds; `Infinity` without a limit. */
export const maxWaitOf = ({ values }: ResolvedSettings): number => values.retryMaxWait || Infinity;

export interface AdmissionSources {
  readonly plan: Pick<BatchPlan, 'concurrency' | 'rateLimits'>;
  readonly settings: ResolvedSettings;
  /** Items without a result; undefined if unknown. */
  readonly left?: () => number | undefined;
  readonly onPause: (wait: number) => void;
}

export function openAdmission(
  { plan, settings, left, onPause }: AdmissionSources,
  { clock }: Service,
  stop: AbortSignal,
): Admission {
  return createAdmission({
    clock,
    concurrency: plan.concurrency,
    rateLimits: plan.rateLimits,
    retries: settings.values.retries,
    maxWait: maxWaitOf(settings),
    stop,
    estimate: (item) => estimateItem(item, settings),
    ...(left === undefined ? {} : { left }),
    onPause,
  });
}
