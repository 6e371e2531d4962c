import type { InputItem, ItemContent } from '../../batch/input/item.ts';
import { textMessages } from '../../conversation/message-text.ts';
import type { Run } from '../../run.ts';
import {
  decide,
  guardRequest,
  type LocatedSecret,
  locateSecrets,
  planGuard,
} from '../../input/secret-guard.ts';
import type { History } from '../../input/read-messages.ts';
import type { BatchInput } from './items.ts';
import type { SendingRun } from './plan.ts';

/** All that is sent of an item, for checks; not the text of a request. */
export const itemText = ({ content }: { readonly content?: ItemContent | undefined }) =>
  content === undefined
    ? ''
    : [content.system ?? '', ...textMessages(content.messages).map((one) => one.content)].join(
        '\n',
      );

/**
 * Checks the items of a file before anything is sent; those of a pipe or a queue are checked one by one.
 * @param file undefined if its items cannot be inspected
 * @param history texts that are sent with each item
 * @throws Failure `usage` for options that cannot be used together
 */
export function openGuard(run: Run, file?: BatchInput, history: History['texts'] = []) {
  const { context } = run;
  const plan = planGuard(run);
  const inspected = plan?.mode === 'ask' && file?.isRepeatable === true ? file : undefined;
  const located: LocatedSecret[] = history.flatMap((text) => locateSecrets(context, text));
  return {
    /** Looks for secrets in an item of a file, before anything is sent. */
    inspect(this: void, item: InputItem): void {
      if (inspected === undefined) return;
      const { given: content = item.content } = item;
      const found = locateSecrets(context, {
        name: inspected.name,
        content: itemText({ content }),
      });
      located.push(...found.map((secret) => ({ ...secret, line: item.line })));
    },
    /**
     * What requests pass; undefined if they are not checked: the items that were inspected have no secret, or it may be
     * sent.
     * @throws Failure `secrets` if the file may not be sent
     */
    async forRequests(): Promise<SendingRun['guard']> {
      if (plan === undefined) return undefined;
      if (inspected === undefined) return (request) => guardRequest(context, plan, request);
      if (located.length === 0) return undefined;
      const choice = await decide(run, plan, located);
      const redacting = { ...plan, mode: 'redact' } as const;
      return choice === 'send' ? undefined : (request) => guardRequest(context, redacting, request);
    },
  };
}
