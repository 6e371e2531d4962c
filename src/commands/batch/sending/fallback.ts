import {
  askModels,
  type Chain,
  chooseModel,
  type FallbackModel,
  chainClients,
  fallbackModels,
} from '../../../ask/fallback.ts';
import type { ItemContent } from '../../../batch/input/item.ts';
import { undiciNetwork } from '../../../client/http/undici-network.ts';
import { toFailure } from '../../../output/ending-failure.ts';
import { count } from '../../../output/figures.ts';
import { withRequestHint } from '../../program/report.ts';
import type { SendingRun } from '../plan.ts';
import {
  type ItemOutcome,
  type Permission,
  planItem,
  sendItem,
  type SendOptions,
} from './send-item.ts';

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

/** Prints the first step between two models, and their number at the end. */
function createReport(warn: (text: string) => void) {
  const counts = new Map<string, number>();
  return {
    step(failed: FallbackModel, next: FallbackModel, text: string): void {
      const step = `${failed.label} to ${next.label}`;
      const before = counts.get(step) ?? 0;
      counts.set(step, before + 1);
      if (before === 0) warn(text);
    },
    end(): void {
      for (const [step, number] of counts) {
        if (number > 1) warn(`${count(number)} items fell back from ${step}`);
      }
    },
  };
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
  const report = createReport(warn);
  return {
    async send(item, permission) {
      const chain: Chain = {
        models,
        plan: (model, isFirst) => planFor(contentFor(item, isFirst), model, sending.stream),
        onStep: (...step) => report.step(...step),
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
      report.end();
      await clients.close();
    },
  };
}
