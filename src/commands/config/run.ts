import { isSet } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import { resolveFolders, type FolderFacts } from '../../settings/folders.ts';
import { chooseProfile } from '../../settings/profile-name.ts';
import * as profiles from '../../settings/profiles.ts';
import { parseSettingName } from '../../settings/setting-name.ts';
import { jsonRow, listSettings as settingRows } from '../../settings/setting-rows.ts';
import { settingsFile, settingsPath } from '../../settings/settings-file.ts';
import type { StoredSettings } from '../../settings/stored-settings.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import type { JsonOptions } from '../program/global-options.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { present } from '../print/presentation.ts';
import { printJson, printTable, printSettings } from '../print/print-data.ts';
import { readSettings, readStored, changeStored } from '../service/settings-access.ts';

/** Runs `natter config list`. @throws Failure */
export async function listSettings(context: Context, options: JsonOptions): Promise<void> {
  const presentation = await present(context, options);
  const rows = settingRows(readSettings(context, presentation.notices, options));
  await printSettings(context, presentation, rows, options);
}

/** Runs `natter config get <name>`. @throws Failure of kind `not_found` when the setting has no value */
export async function getSetting(
  context: Context,
  options: JsonOptions,
  name: string,
): Promise<void> {
  const { notices } = await present(context, options);
  parseSettingName(name);
  // Header names are kept in lower case.
  const wanted = name.startsWith('headers.') ? name.toLowerCase() : name;
  const row = settingRows(readSettings(context, notices, options)).find(
    (candidate) => candidate.name === wanted,
  );
  if (row?.value === undefined) {
    throw new Failure('not_found', `the setting ${name} has no value`, {
      hint: `natter config set ${name} <value>`,
    });
  }
  if (options.json === true) return printJson(context, jsonRow(row));
  await context.streams.stdout.write(`${sanitizeLine(row.value)}\n`);
}

/** The profile that a change goes to; a new one may be named. */
function targetProfile(
  { environment }: Pick<Context, 'environment'>,
  { profile: flag }: GlobalOptions,
  stored: StoredSettings,
): string {
  return chooseProfile({ flag, environment, stored }, true).value;
}

/** Runs `natter config set <name> <value>`. @throws Failure */
export async function setSetting(
  context: Context,
  options: GlobalOptions,
  name: string,
  value: string,
): Promise<void> {
  const { notices } = await present(context, options);
  let profile = '';
  await changeStored(context, (stored) => {
    profile = targetProfile(context, options, stored);
    return profiles.setStoredSetting(stored, profile, name, value);
  });
  notices.notice(`${name} is set in profile ${profile}`);
}

/** Runs `natter config unset <name>`. @throws Failure */
export async function unsetSetting(
  context: Context,
  options: GlobalOptions,
  name: string,
): Promise<void> {
  const { notices } = await present(context, options);
  const stored = readStored(context, notices);
  const profile = targetProfile(context, options, stored);
  if (profiles.getStoredSetting(stored, profile, name) === undefined) {
    notices.notice(`${name} was not set in profile ${profile}`);
    return;
  }
  await changeStored(context, (before) => profiles.unsetStoredSetting(before, profile, name));
  notices.notice(`${name} is no longer set in profile ${profile}`);
}

/** Runs `natter config path`. @throws Failure when the system names no folder for settings */
export async function showPath(context: FolderFacts & Pick<Context, 'streams'>): Promise<void> {
  const { config } = resolveFolders(context);
  if (config === undefined) {
    throw new Failure('storage', 'the settings folder is unknown: there is no home folder', {
      hint: 'set NATTER_CONFIG_DIR',
    });
  }
  await context.streams.stdout.write(`${settingsPath(config, settingsFile)}\n`);
}

/** Runs `natter config use <profile>`. @throws Failure */
export async function useProfile(
  context: Context,
  options: GlobalOptions,
  profile: string,
): Promise<void> {
  const { notices } = await present(context, options);
  await changeStored(context, (stored) => profiles.useProfile(stored, profile));
  notices.notice(`${profile} is the current profile`);
  if (isSet(context.environment, 'NATTER_PROFILE')) {
    notices.notice('NATTER_PROFILE is set and overrides it');
  }
}

/** Runs `natter config remove-profile <profile>`. @throws Failure */
export async function removeProfile(
  context: Context,
  options: GlobalOptions,
  profile: string,
): Promise<void> {
  const { notices } = await present(context, options);
  await changeStored(context, (stored) => profiles.deleteProfile(stored, profile));
  notices.notice(`removed profile ${profile} and its key`);
}

/** Runs `natter config profiles`. @throws Failure */
export async function listProfiles(context: Context, options: JsonOptions): Promise<void> {
  const presentation = await present(context, options);
  const summaries = profiles.listProfiles(readStored(context, presentation.notices));
  if (options.json === true) {
    const documents = summaries.map(({ name, current, hasKey }) => ({
      name,
      current,
      has_key: hasKey,
    }));
    return printJson(context, documents);
  }
  const rows = summaries.map(({ name, current, hasKey }) => [
    name,
    current ? 'current' : '',
    hasKey ? 'key stored' : '',
  ]);
  const columns = [{ heading: 'PROFILE' }, { heading: 'CURRENT' }, { heading: 'KEY' }];
  await printTable(context, presentation, columns, rows);
}
