import type { InputItem } from '../../batch/input/item.ts';
import { textMessages } from '../../conversation/message-text.ts';
import { itemStatusOf } from '../../batch/input/select-items.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { Context } from '../program/context.ts';
import { type Plan, planGuard } from '../prompt/guard/secret-guard.ts';
import { type BatchItems, readBatchItems } from './items.ts';
import type { BatchOptions } from './plan.ts';
import type { SendOptions } from './sending/send-item.ts';

type GuardRun = {
  readonly context: Context;
  readonly options: BatchOptions;
  readonly settings: ResolvedSettings;
};

/** Guards each request; undefined if requests are not checked. @throws Failure `usage` */
async function guardRequests(
  { context, options, settings }: GuardRun,
  mode?: Plan['mode'],
): Promise<SendOptions['guard']> {
  const plan = await planGuard(context, options, settings);
  if (plan === undefined || mode === 'off') return undefined;
  const { guardClient } = await import('../prompt/guard/guard-client.ts');
  return (client) => guardClient(context, { ...plan, mode: mode ?? plan.mode }, client);
}

const textOf = ({ content }: InputItem) =>
  content === undefined
    ? ''
    : [content.system ?? '', ...textMessages(content.messages).map((one) => one.content)].join(
        '\n',
      );

async function* unanswered(
  items: BatchItems,
  signal: AbortSignal,
): AsyncGenerator<InputItem, void> {
  const { selection } = items;
  for await (const block of readBatchItems(items, signal)) {
    for (const item of block) {
      if (item.index > selection.highest) return;
      if (itemStatusOf(item, selection) === 'pending') yield item;
    }
  }
}

/**
 * Checks the items of a file before anything is sent; those of a pipe are checked one by one.
 * @returns the guard of the requests
 * @throws Failure `secrets` if the file may not be sent
 */
export async function guardBatch(run: GuardRun & { readonly items: BatchItems }) {
  const { context, options, settings, items } = run;
  const plan = await planGuard(context, options, settings);
  if (plan?.mode !== 'ask' || !items.input.isRepeatable) return guardRequests(run);
  const { decide, locateSecrets } = await import('../prompt/guard/inspect-texts.ts');
  const located = [];
  for await (const item of unanswered(items, context.signal)) {
    const found = locateSecrets(context, { name: items.input.name, content: textOf(item) });
    located.push(...found.map((secret) => ({ ...secret, line: item.line })));
  }
  if (located.length === 0) return undefined;
  const choice = await decide(context, options, plan, located);
  return guardRequests(run, choice === 'send' ? 'off' : 'redact');
}
