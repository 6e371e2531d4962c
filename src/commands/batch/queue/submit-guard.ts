import { isLoopbackName } from '../../../address.ts';
import type { InputItem } from '../../../batch/input/item.ts';
import type { QueueConnection } from '../../../batch/queue/batch-queue.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import type { Context } from '../../program/context.ts';
import { itemText } from '../secret-guard.ts';
import type { SubmitOptions } from './queue-options.ts';

/** @throws Failure `secrets` for an item that may not leave this machine */
export type CheckItem = (item: InputItem) => void;

/**
 * What checks prompts for a queue on a different host; undefined if nothing is checked. Workers check what they send to
 * the service.
 */
export async function openSubmitGuard(
  context: Context,
  { allowSecrets = false }: SubmitOptions,
  { values }: ResolvedSettings,
  { label }: Pick<QueueConnection, 'label'>,
  input: string,
): Promise<CheckItem | undefined> {
  const { host, hostname } = new URL(label);
  if (allowSecrets || values.secretGuard === 'off' || isLoopbackName(hostname)) return undefined;
  const { locateSecrets, secretsRefusal } = await import('../../prompt/guard/inspect-texts.ts');
  return (item) => {
    const located = locateSecrets(context, { name: input, content: itemText(item) });
    if (located.length === 0) return;
    const inFile = located.map((secret) => ({ ...secret, line: item.line }));
    throw secretsRefusal(
      inFile,
      `the queue at ${host}`,
      '--allow-secrets puts it into the queue; natter batch work --redact sends placeholders to the service',
    );
  };
}
