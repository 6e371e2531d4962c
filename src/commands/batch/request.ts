import { promptFingerprint } from '../../batch/fingerprint.ts';
import type { BatchItem, ItemContent } from '../../batch/input/item.ts';
import type { Message } from '../../client/contract.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { planRequest, type PlannedRequest } from '../prompt/chat-request.ts';

const systemRole = 'system';

/** The turns of an item, after the system prompt: its own, else the command's where it brings none in its turns. */
function itemMessages(
  { messages, system }: ItemContent,
  settings: ResolvedSettings,
): readonly Message[] {
  const bringsOne = messages[0]?.role === systemRole;
  const content = system ?? (bringsOne ? undefined : settings.values.system);
  return content === undefined || content === ''
    ? messages
    : [{ role: systemRole, content }, ...messages];
}

/** Of what is asked: see `promptFingerprint`. */
export function itemFingerprint({ id, content }: BatchItem, settings: ResolvedSettings): bigint {
  return promptFingerprint(id, itemMessages(content, settings));
}

/**
 * The request of an item, made as those of the chat command are.
 * @throws Failure `invalid_request` for what cannot fit the model's window
 */
export function planItem(
  content: ItemContent,
  settings: ResolvedSettings,
  stream: boolean,
): PlannedRequest {
  const values = {
    ...settings.values,
    ...(content.model === undefined ? {} : { model: content.model }),
    ...(content.maxTokens === undefined ? {} : { maxTokens: content.maxTokens }),
  };
  const planned = planRequest({ ...settings, values }, itemMessages(content, settings), stream);
  if (content.params === undefined) return planned;
  const params = { ...planned.request.params, ...content.params };
  return { ...planned, request: { ...planned.request, params } };
}
