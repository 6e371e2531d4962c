import type { Notices } from '../../output/notices.ts';
import type { SettingFlags } from '../../settings/resolve.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { parseParameterFlag } from '../../settings/setting-value.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import type { PromptOptions } from '../prompt/prompt-options.ts';
import { readSettings } from './service.ts';

/**
 * The settings in force for a command that sends prompts, with the fields that `--param` adds; `changes` win over
 * its options.
 * @throws Failure for a bad value or file
 */
export function readRequestSettings(
  context: Context,
  notices: Notices,
  options: GlobalOptions & SettingFlags & Pick<PromptOptions, 'param'>,
  changes: SettingFlags = {},
): ResolvedSettings {
  const params = Object.fromEntries((options.param ?? []).map(parseParameterFlag));
  return readSettings(context, notices, options, { ...options, ...changes, params });
}
