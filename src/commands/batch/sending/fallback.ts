import type { ItemContent } from '../../../batch/input/item.ts';
import { undiciNetwork } from '../../../client/http/undici-network.ts';
import { count } from '../../../output/figures.ts';
import { toFailure } from '../../../output/ending-failure.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import type { Presentation } from '../../print/presentation.ts';
import type { Context } from '../../program/context.ts';
import { withRequestHint } from '../../program/report.ts';
import {
  createFallbackServices,
  doesNotFit,
  type FailedModel,
  failureOfAll,
  type FallbackModel,
  fallbackModels,
  mayPass,
  passedModel,
  stepText,
} from '../../service/fallback.ts';
import type { PlannedRequest } from '../../prompt/chat-request.ts';
import { openService, type Service } from '../../service/service.ts';
import type { NamedModelOptions } from '../../service/named-model.ts';
import type { Permission } from './admission.ts';
import type { ItemOutcome } from './item-attempt.ts';
import { planItem, sendItem, type SendOptions } from './send-item.ts';

/** Sends items to the next model when the batch has given up on the one before. */
export interface BatchFallback {
  /** @throws Failure for an item that cannot be sent */
  send(content: ItemContent, permission: Permission): Promise<ItemOutcome>;
  close(): Promise<void>;
}

export interface BatchFallbackOptions {
  readonly context: Context;
  readonly options: NamedModelOptions;
  readonly presentation: Presentation;
  readonly settings: ResolvedSettings;
  /** For the first model. */
  readonly sending: SendOptions;
  readonly service: Service;
  readonly warn: (text: string) => void;
}

/** For the next models, without a model of the item's own. */
const contentFor = (content: ItemContent, isFirst: boolean): ItemContent => {
  const { model: _model, ...rest } = content;
  return isFirst ? content : rest;
};

/** Sends to the next models. */
function createSenders({
  context,
  options,
  presentation,
  sending,
  ...first
}: BatchFallbackOptions) {
  const services = createFallbackServices(first.settings.profile.value, (settings, source) =>
    openService(context, presentation, options, settings, source, { network: undiciNetwork }),
  );
  return {
    async send(model: FallbackModel, content: ItemContent): Promise<ItemOutcome> {
      const { client } = await services.of(model, first.service);
      const own = { ...sending, client, settings: model.settings };
      // The limits that a batch learns are those of the first service: the client of this one waits and retries itself.
      return sendItem(own, content, undefined);
    },
    close: () => services.close(),
  };
}

/** Prints the first step between two models, and their number at the end. */
function createReport(warn: (text: string) => void) {
  const counts = new Map<string, number>();
  return {
    step(failed: FailedModel, next: FallbackModel): void {
      const step = `${failed.model.label} to ${next.label}`;
      const before = counts.get(step) ?? 0;
      counts.set(step, before + 1);
      if (before === 0) warn(stepText(failed, next));
    },
    end(): void {
      for (const [step, number] of counts) {
        if (number > 1) warn(`${count(number)} items fell back from ${step}`);
      }
    },
  };
}

/** The outcome with its profile and the models before; undefined for an item that was not sent. */
interface Attempt {
  readonly outcome?: ItemOutcome;
  /** Undefined if the next model must not answer. */
  readonly failed?: FailedModel;
}

/** @throws Failure `usage` and the like, which no model can cure */
async function attempt(
  send: () => Promise<ItemOutcome>,
  plan: () => PlannedRequest,
  model: FallbackModel,
  isLast: boolean,
): Promise<Attempt> {
  try {
    const { fit } = plan();
    if (fit.state === 'over' && !isLast) {
      return { failed: { model, failure: doesNotFit(fit), isTooLong: true } };
    }
    const outcome = await send();
    const { failure, wasStopped, content } = outcome;
    const isFinal = failure === undefined || wasStopped || content !== '';
    return isFinal ? { outcome } : { outcome, failed: { model, failure } };
  } catch (error) {
    const failure = withRequestHint(toFailure(error), model.settings);
    if (failure.kind !== 'invalid_request') throw error;
    return { failed: { model, failure, isTooLong: true } };
  }
}

function withPassed(outcome: ItemOutcome, model: FallbackModel, failed: readonly FailedModel[]) {
  const { value: profile } = model.settings.profile;
  const fallbackFrom = failed.length === 0 ? {} : { fallbackFrom: failed.map(passedModel) };
  return { ...outcome, metadata: { ...outcome.metadata, profile, ...fallbackFrom } };
}

/** @throws Failure for a profile without a service */
export function openBatchFallback(options: BatchFallbackOptions): BatchFallback {
  const { context, settings, sending, warn } = options;
  const models = fallbackModels(context, options.options, settings);
  const senders = createSenders(options);
  const report = createReport(warn);

  async function sendFrom(
    failed: readonly FailedModel[],
    item: ItemContent,
    permission: Permission,
  ): Promise<ItemOutcome> {
    const isFirst = failed.length === 0;
    const model = models[failed.length] as FallbackModel;
    const next = models[failed.length + 1];
    const content = contentFor(item, isFirst);
    const send = () =>
      isFirst ? sendItem(sending, content, permission) : senders.send(model, content);
    const plan = () => planItem(content, model.settings, sending.stream);
    const { outcome, failed: last } = await attempt(send, plan, model, next === undefined);
    if (last !== undefined && next !== undefined && mayPass(last)) {
      report.step(last, next);
      return sendFrom([...failed, last], item, permission);
    }
    if (last === undefined && outcome !== undefined) return withPassed(outcome, model, failed);
    const failure = failureOfAll(failed[0], last as FailedModel);
    if (outcome === undefined) throw failure;
    return withPassed({ ...outcome, failure }, model, failed);
  }
  return {
    send: (content, permission) => sendFrom([], content, permission),
    async close() {
      report.end();
      await senders.close();
    },
  };
}
