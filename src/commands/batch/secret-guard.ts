import type { InputItem } from '../../batch/input/item.ts';
import type { Middleware } from '../../client/client.ts';
import { textMessages } from '../../conversation/message-text.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { Context } from '../program/context.ts';
import { guardClient } from '../prompt/guard/guard-client.ts';
import { decide, type LocatedSecret, locateSecrets } from '../prompt/guard/inspect-texts.ts';
import { type GuardOptions, planGuard } from '../prompt/guard/secret-guard.ts';
import type { ParamOptions } from '../prompt/prompt-options.ts';
import type { BatchInput } from './items.ts';

/** All that is sent of an item, for checks; not the text of a request. */
export const itemText = ({ content }: InputItem) =>
  content === undefined
    ? ''
    : [content.system ?? '', ...textMessages(content.messages).map((one) => one.content)].join(
        '\n',
      );

interface BatchGuard {
  /** Looks for secrets in an item of a file, before anything is sent. */
  readonly inspect: (item: InputItem) => void;
  /**
   * What requests pass; undefined if they are not checked: the items that were inspected have no secret, or it may be
   * sent.
   * @throws Failure `secrets` if the file may not be sent
   */
  readonly middleware: () => Promise<Middleware | undefined>;
}

/**
 * Checks the items of a file before anything is sent; those of a pipe or a queue are checked one by one.
 * @param file undefined if its items cannot be inspected
 * @throws Failure `usage` for options that cannot be used together
 */
export async function openGuard(
  context: Context,
  options: GuardOptions & ParamOptions,
  settings: ResolvedSettings,
  file?: BatchInput,
): Promise<BatchGuard> {
  const plan = await planGuard(context, options, settings);
  const inspected = plan?.mode === 'ask' && file?.isRepeatable === true ? file : undefined;
  const located: LocatedSecret[] = [];
  return {
    inspect(item) {
      if (inspected === undefined) return;
      const found = locateSecrets(context, { name: inspected.name, content: itemText(item) });
      located.push(...found.map((secret) => ({ ...secret, line: item.line })));
    },
    async middleware() {
      if (plan === undefined) return undefined;
      if (inspected === undefined) return guardClient(context, plan);
      if (located.length === 0) return undefined;
      const choice = await decide(context, options, plan, located);
      return choice === 'send' ? undefined : guardClient(context, { ...plan, mode: 'redact' });
    },
  };
}
