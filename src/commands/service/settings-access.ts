import { isSet, type Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import type { Notices } from '../../output/notices.ts';
import { chooseProfile, terminalSettings } from '../../settings/profile-name.ts';
import { resolveFolders, type FolderFacts } from '../../settings/folders.ts';
import { resolveSettings, type SettingFlags } from '../../settings/resolve.ts';
import { withoutSources, type ResolvedSettings } from '../../settings/resolved-settings.ts';
import { parseParameterFlag } from '../../settings/setting-value.ts';
import { readStoredSettings } from '../../settings/settings-file.ts';
import {
  emptyCredentials,
  emptySettings,
  type StoredSettings,
} from '../../settings/stored-settings.ts';
import { readWindows, withWindow } from '../../usage/windows.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import type { ParamOptions } from '../prompt/prompt-options.ts';
import { withRole } from './role.ts';

export type SettingsContext = Context;

const nothingStored: StoredSettings = { settings: emptySettings, credentials: emptyCredentials };

/** Reads the settings files and prints their warnings. @throws Failure */
export function readStored(context: FolderFacts, notices: Notices): StoredSettings {
  const folders = resolveFolders(context);
  const { stored, warnings } = readStoredSettings(folders.config, context.platform);
  for (const warning of warnings) notices.warning(warning);
  return stored;
}

/** In one step, so that no change of another process is lost. @throws Failure */
export async function changeStored(
  context: Context,
  change: (stored: StoredSettings) => StoredSettings,
): Promise<StoredSettings> {
  const { updateStoredSettings } = await import('../../settings/settings-file.ts');
  const { clock, platform, process } = context;
  const { config: folder } = resolveFolders(context);
  return updateStoredSettings({ folder, platform, clock, process }, change);
}

/** Prints notices about variables that override a stored base URL and key. */
export function noticeOverrides(environment: Environment, notices: Notices): void {
  const names = ['NATTER_BASE_URL', 'NATTER_API_KEY', 'NATTER_API_KEY_COMMAND'].filter((name) =>
    isSet(environment, name),
  );
  for (const name of names) notices.notice(`${name} is set and overrides the stored value`);
}

/** Masks the secrets of these settings from now on. */
export function keepSecrets(
  { secrets }: Context,
  { apiKey, headers, values }: ResolvedSettings,
): void {
  const addresses = [values.baseUrl];
  secrets.keep({ apiKey: apiKey?.value, headers: withoutSources(headers), addresses });
}

/** The sandbox works without settings files, too. */
function readForSandbox(
  context: SettingsContext,
  notices: Notices,
  { profile: flag }: GlobalOptions,
): StoredSettings {
  try {
    const stored = readStored(context, notices);
    const { value } = chooseProfile({ flag, environment: context.environment, stored });
    return terminalSettings(stored, value);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notices.warning(`${error.message}; the sandbox uses the default settings`);
    return nothingStored;
  }
}

/**
 * The settings in force. With `--sandbox`, only those of the profile for conversations and the terminal, because the
 * others describe a different service.
 * @throws Failure for a bad value or file
 */
export function readSettings(
  context: SettingsContext,
  notices: Notices,
  options: GlobalOptions,
  flags: SettingFlags = {},
): ResolvedSettings {
  const settings = resolveSettings(
    options.sandbox === true
      ? {
          flags: { ...options, ...flags, profile: undefined },
          environment: { ...context.environment, NATTER_PROFILE: undefined },
          stored: readForSandbox(context, notices, options),
        }
      : {
          flags: { ...options, ...flags },
          environment: context.environment,
          stored: readStored(context, notices),
        },
  );
  keepSecrets(context, settings);
  const windows = readWindows(context, settings.values.baseUrl);
  return { ...settings, windows: withWindow(windows, settings.values) };
}

/**
 * The settings in force for a command that sends prompts, with the fields of `--param`.
 * @param changes override the options
 * @throws Failure for a bad value or file
 */
export function readRequestSettings(
  context: SettingsContext,
  notices: Notices,
  options: GlobalOptions & SettingFlags & ParamOptions,
  changes: SettingFlags = {},
): ResolvedSettings {
  const params = Object.fromEntries((options.param ?? []).map(parseParameterFlag));
  return withRole(
    context,
    readSettings(context, notices, options, { ...options, ...changes, params }),
  );
}
