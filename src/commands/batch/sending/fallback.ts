import {
  askModels,
  type Chain,
  chooseModel,
  type FallbackModel,
  chainClients,
  fallbackModels,
} from '../../../ask/fallback.ts';
import type { ItemContent } from '../../../batch/input/item.ts';
import type { Permission } from '../../../batch/admission.ts';
import { undiciNetwork } from '../../../client/http/undici-network.ts';
import { toFailure } from '../../../output/ending-failure.ts';
import { count } from '../../../output/figures.ts';
import { withRequestHint } from '../../../cli/report.ts';
import type { SendingRun } from '../plan.ts';
import { type ItemOutcome, planItem, sendItem, type SendOptions } from './send-item.ts';

/** Sends items to the next model when the batch has given up on the one before. */
export interface BatchFallback {
  /** @throws Failure for an item that cannot be sent */
  send(content: ItemContent, permission: Permission): Promise<ItemOutcome>;
  close(): Promise<void>;
}

/** For the next models, without a model of the item's own. */
const contentFor = (content: ItemContent, isFirst: boolean): ItemContent => {
  const { model: _model, ...rest } = content;
  return isFirst ? content : rest;
};

/** @throws Failure `invalid_request` with hints for an item that cannot fit, and others that no model can cure */
function planFor(content: ItemContent, { settings }: FallbackModel, stream: boolean) {
  try {
    return planItem(content, settings, stream);
  } catch (error) {
    throw withRequestHint(toFailure(error), settings);
  }
}

/**
 * Undefined without `fallback`, and with a check: its option is refused, and a notice reports the setting.
 * @throws Failure for a profile without a service
 */
export function openFallback(
  run: SendingRun,
  sending: SendOptions,
  warn: (text: string) => void,
): BatchFallback | undefined {
  const { settings, check, service } = run;
  if (settings.values.fallback === undefined) return undefined;
  if (check !== undefined) {
    run.presentation.notices.notice(
      'the setting fallback does not apply to a batch with checked answers',
    );
    return undefined;
  }
  const models = fallbackModels(run);
  const clients = chainClients(service, run, { network: undiciNetwork });
  /** How often items went from one model to another. */
  const steps = new Map<string, number>();
  const onStep: Chain['onStep'] = (failed, next, text) => {
    const step = `${failed.label} to ${next.label}`;
    const before = steps.get(step) ?? 0;
    steps.set(step, before + 1);
    if (before === 0) warn(text);
  };
  return {
    async send(item, permission) {
      const chain: Chain = {
        models,
        plan: (model, isFirst) => planFor(contentFor(item, isFirst), model, sending.stream),
        onStep,
      };
      return askModels(chain, chooseModel(chain), async ({ model, failed }) => {
        const isFirst = failed.length === 0;
        const content = contentFor(item, isFirst);
        if (isFirst) return sendItem(sending, content, permission);
        // The limits that a batch learns are those of the first service: the client of this one waits and retries itself.
        const own = { ...sending, client: await clients.of(model), settings: model.settings };
        return sendItem(own, content, undefined);
      });
    },
    async close() {
      for (const [step, number] of steps) {
        if (number > 1) warn(`${count(number)} items fell back from ${step}`);
      }
      await clients.close();
    },
  };
}
