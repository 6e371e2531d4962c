import { rephrase } from '../../client/failure/change-failure.ts';
import { type ForeignWords, meantBy } from '../../cli/guess.ts';
import { isSet } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import { nearlyNamed } from '../../near-name.ts';
import { keyLabel, ownKeyMap, storedKeys } from '../../repl/composer/keys/key-bindings.ts';
import { commandWords, shellHint } from '../../settings/command-words.ts';
import { definitions, settingKeys } from '../../settings/definitions.ts';
import * as profiles from '../../settings/profiles.ts';
import { describeSource } from '../../settings/resolved-settings.ts';
import { parseSettingName } from '../../settings/setting-name.ts';
import {
  jsonRow,
  listSettings as settingRows,
  settingRow,
  valueText,
} from '../../settings/setting-rows.ts';
import { type StoredSettings, changeStored, readStored } from '../../settings/settings-file.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { truncateToWidth } from '../../terminal/text/width.ts';
import type { Action, GlobalOptions, JsonOptions } from '../../run.ts';
import { printJson, printSettings, printTable } from '../../output/print-data.ts';
import { readSettings, withSettings } from '../../settings/read-settings.ts';
import { findStoredPath, storedPaths } from './command.ts';

const foreignNames: ForeignWords = [
  ['default-model models.default', 'model'],
  ['url api-base api-url endpoint host', 'base-url'],
  ['system-prompt', 'system'],
  ['temperature', 'params.temperature'],
  ['top-p', 'params.top_p'],
  ['seed', 'params.seed'],
];

/**
 * Reads a name in any spelling that `config set` takes, and returns it as it is stored.
 * @throws Failure `usage` for an unknown name, with the setting that it means in a different spelling, mistyped, or in a
 * different client
 */
function checkSettingName(name: string): string {
  try {
    return parseSettingName(name).path.join('.');
  } catch (error) {
    const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])|_/g, '-').toLowerCase();
    const known = settingKeys.map((key) => definitions[key].name);
    const meant = known.includes(words) ? words : meantBy(foreignNames, words);
    const similar = meant ?? nearlyNamed(words, known);
    if (!(error instanceof Failure) || similar === undefined) throw error;
    throw rephrase(error, { hint: `did you mean ${similar}?` });
  }
}

export const listSettings: Action<JsonOptions> = async (run) =>
  printSettings(run, settingRows(withSettings(run, readSettings).settings));

/** Runs `natter config get <name>`. @throws Failure `not_found` if the setting has no value */
export const getSetting: Action<JsonOptions, [name: string]> = async (run, name) => {
  const { context, options } = run;
  const wanted = checkSettingName(name);
  const rows = settingRows(withSettings(run, readSettings).settings);
  const row = rows.find((candidate) => candidate.name === wanted);
  if (row?.value === undefined) {
    throw new Failure('not_found', `the setting ${name} has no value`, {
      hint: `‹natter config set ${name} <value>›`,
    });
  }
  if (options.json === true) return printJson(context, jsonRow(row));
  await context.streams.stdout.write(`${sanitizeLine(valueText(row))}\n`);
};

const keyAction = (name: string) => /^keys\.(.+)$/.exec(name)?.[1];

/**
 * Changes the keys of a profile, and checks them. Keys that had a problem before are not checked: each change would be
 * refused for a problem elsewhere, which only changes can remove.
 * @throws Failure `usage` for a key of two actions
 */
function changeKeys(profile: string, { settings }: StoredSettings, change: () => void): void {
  const check = () => ownKeyMap(settings.profiles[profile]?.keys ?? {});
  try {
    check();
  } catch {
    return change();
  }
  change();
  check();
}

/** The longest value in a notice, in columns; a system prompt may be long. */
const shownColumns = 60;

export const setSetting: Action<GlobalOptions, [string, string]> = async (run, name, value) => {
  const { context, options, presentation } = run;
  const shownName = checkSettingName(name);
  const isCommand = name === definitions.apiKeyCommand.name;
  if (isCommand) commandWords(value.trim(), name, 'usage');
  const action = keyAction(name);
  const given = action === undefined ? value : storedKeys(action, value);
  let profile = '';
  const stored = await changeStored(context, (changed) => {
    profile = profiles.chooseProfile(options.profile, context.environment, changed, true).value;
    const set = () => profiles.setStoredSetting(changed, profile, name, given);
    if (action === undefined) set();
    else changeKeys(profile, changed, set);
  });
  const set = profiles.getStoredSetting(stored, profile, name);
  const source = { kind: 'profile', name: profile } as const;
  const text = valueText(settingRow(shownName, set, source));
  presentation.notices.notice(
    `${name} is set to ${truncateToWidth(sanitizeLine(text), shownColumns)} in profile ${profile}`,
  );
  const hint = isCommand ? shellHint(value) : undefined;
  if (hint !== undefined) presentation.notices.warning(hint);
};

type NameAction = Action<GlobalOptions, [name: string]>;

export const unsetSetting: NameAction = async ({ context, options, presentation }, name) => {
  const { notices } = presentation;
  checkSettingName(name);
  const stored = readStored(context, notices);
  const { value: profile } = profiles.chooseProfile(
    options.profile,
    context.environment,
    stored,
    true,
  );
  if (profiles.getStoredSetting(stored, profile, name) === undefined) {
    return notices.notice(`${name} was not set in profile ${profile}`);
  }
  await changeStored(context, (changed) => {
    const unset = () => profiles.setStoredSetting(changed, profile, name, undefined);
    if (keyAction(name) === undefined) unset();
    else changeKeys(profile, changed, unset);
  });
  notices.notice(`${name} is no longer set in profile ${profile}`);
};

export const showPath: Action<GlobalOptions> = async ({ context }) =>
  context.streams.stdout.write(`${findStoredPath(context, 'settings').path}\n`);

export const showPaths: Action<JsonOptions, [name: string | undefined]> = async (run, name) => {
  const { context, options } = run;
  const found = name === undefined ? storedPaths(context) : findStoredPath(context, name);
  if (options.json === true) return printJson(context, found);
  if ('path' in found) return context.streams.stdout.write(`${found.path}\n`);
  const rows = found.map((stored) => [stored.name, stored.path]);
  await printTable(run, ['NAME', 'PATH'], rows);
};

export const useProfile: NameAction = async ({ context, presentation: { notices } }, name) => {
  await changeStored(context, (stored) => profiles.useProfile(stored, name));
  notices.notice(`${name} is the current profile`);
  if (isSet(context.environment, 'NATTER_PROFILE')) {
    notices.notice('NATTER_PROFILE is set and overrides it');
  }
};

export const removeProfile: NameAction = async ({ context, presentation }, name) => {
  await changeStored(context, (stored) => profiles.deleteProfile(stored, name));
  presentation.notices.notice(`removed profile ${name} and its key`);
};

export const listProfiles: Action<JsonOptions> = async (run) => {
  const { context, options, presentation } = run;
  const stored = readStored(context, presentation.notices);
  const used = stored.settings.profile ?? profiles.defaultProfile;
  const documents = profiles.knownProfiles(stored).map((name) => {
    return { name, current: name === used, has_key: profiles.hasKey(stored, name) };
  });
  if (options.json === true) return printJson(context, documents);
  const rows = documents.map(({ name, current, has_key: hasKey }) => [
    name,
    current ? 'current' : '',
    hasKey ? 'key stored' : '',
  ]);
  await printTable(run, ['PROFILE', 'CURRENT', 'KEY'], rows);
};

/** Runs `natter config keys`. @throws Failure `configuration` for keys that natter cannot use */
export const listKeys: Action<JsonOptions> = async (run) => {
  const { keys: stored, profile } = withSettings(run, readSettings).settings;
  const rows = ownKeyMap(stored, profile.value).map(({ action, keys, when, summary }) => {
    const source = Object.hasOwn(stored, action)
      ? ({ kind: 'profile', name: profile.value } as const)
      : ({ kind: 'default', name: 'default' } as const);
    return { action, keys, context: when, summary, source };
  });
  if (run.options.json === true) return printJson(run.context, rows);
  const cells = rows.map(({ action, keys, summary, source }) => [
    action,
    keys.map(keyLabel).join(', ') || 'none',
    describeSource(source),
    summary,
  ]);
  await printTable(run, ['ACTION', 'KEYS', 'SOURCE', 'WHAT IT DOES'], cells);
};
