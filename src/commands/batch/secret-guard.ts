import type { InputItem } from '../../batch/input/item.ts';
import { eachItem } from '../../batch/input/read-items.ts';
import { emptyTally } from '../../batch/tally.ts';
import { textMessages } from '../../conversation/message-text.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { Context } from '../program/context.ts';
import { type Plan, planGuard } from '../prompt/guard/secret-guard.ts';
import { type BatchItems, pendingItems } from './items.ts';
import type { BatchOptions } from './plan.ts';
import type { SendOptions } from './sending/send-item.ts';

interface GuardRun {
  readonly context: Context;
  readonly options: BatchOptions;
  readonly settings: ResolvedSettings;
  readonly items: BatchItems;
}

/** All that is sent of an item, for checks; not the text of a request. */
export const itemText = ({ content }: InputItem) =>
  content === undefined
    ? ''
    : [content.system ?? '', ...textMessages(content.messages).map((one) => one.content)].join(
        '\n',
      );

/** What to do about the secrets in a file: `off` if it has none, or they may be sent. @throws Failure `secrets` */
async function fileMode({ context, options, items }: GuardRun, plan: Plan): Promise<Plan['mode']> {
  const { decide, locateSecrets } = await import('../prompt/guard/inspect-texts.ts');
  const located = [];
  for await (const item of eachItem(pendingItems(items, emptyTally(), context.signal))) {
    const found = locateSecrets(context, { name: items.input.name, content: itemText(item) });
    located.push(...found.map((secret) => ({ ...secret, line: item.line })));
  }
  if (located.length === 0) return 'off';
  const choice = await decide(context, options, plan, located);
  return choice === 'send' ? 'off' : 'redact';
}

/**
 * Checks the items of a file before anything is sent; those of a pipe are checked one by one.
 * @returns the guard of the requests; undefined if they are not checked
 * @throws Failure `secrets` if the file may not be sent, or `usage` for options that cannot be used together
 */
export async function guardBatch(run: GuardRun): Promise<SendOptions['guard']> {
  const { context, options, settings, items } = run;
  const plan = await planGuard(context, options, settings);
  if (plan === undefined) return undefined;
  const isAskedOnce = plan.mode === 'ask' && items.input.isRepeatable;
  const mode = isAskedOnce ? await fileMode(run, plan) : plan.mode;
  if (mode === 'off') return undefined;
  const { guardClient } = await import('../prompt/guard/guard-client.ts');
  return guardClient(context, { ...plan, mode });
}
