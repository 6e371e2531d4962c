import { isLoopbackName } from '../../address.ts';
import { parseBaseUrl } from '../../client/http/base-url.ts';
import { nearlyNamed } from '../../near-name.ts';
import type { Notices } from '../../output/notices.ts';
import { isSecretHeader } from '../../secrecy/secret-parts.ts';
import { definitions, settingKeys } from '../../settings/definitions.ts';
import { ownColors } from '../../settings/own-colors.ts';
import { settingFamilies } from '../../settings/setting-name.ts';
import { priceTable } from '../../settings/prices.ts';
import { resolveSettings } from '../../settings/resolve.ts';
import {
  describeSource,
  describeUnsent,
  type ResolvedSettings,
} from '../../settings/resolved-settings.ts';
import { listSettings } from '../../settings/setting-rows.ts';
import type { StoredSettings } from '../../settings/stored-settings.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { otherProfiles } from '../service/other-profiles.ts';
import { readSettings, readStored } from '../service/settings-access.ts';
import { asFailure, failedFinding, type AddFinding, type SectionFinding } from './finding.ts';

const documentKeys = new Set(['version', 'profile', 'profiles']);
const familyNames = settingFamilies.map(({ name }) => name.replace(/\..*$/, ''));
const knownKeys: readonly string[] = [
  ...settingKeys.map((key) => definitions[key].name),
  ...familyNames,
];

function unknownKey(key: string, where: string): SectionFinding {
  const near = nearlyNamed(key, knownKeys);
  const suggestion = near === undefined ? '' : `did you mean ${near}? `;
  return {
    check: 'unknown-key',
    outcome: 'warning',
    text: `${JSON.stringify(key)} ${where} is not a setting and has no effect`,
    advice: `${suggestion}correct the file by hand: natter config path prints its path`,
  };
}

/** Keys in the settings file that natter does not read. */
function unknownKeys({ settings }: StoredSettings): readonly SectionFinding[] {
  const own = Object.keys(settings).filter((key) => !documentKeys.has(key));
  const inProfiles = Object.entries(settings.profiles).flatMap(([profile, values]) =>
    Object.keys(values)
      .filter((key) => !knownKeys.includes(key))
      .map((key) => unknownKey(key, `in profile ${profile}`)),
  );
  return [...own.map((key) => unknownKey(key, 'in config.json')), ...inProfiles];
}

/** @throws Failure for a bad price or colour */
function checkFamilies({ prices, colors }: ResolvedSettings): void {
  priceTable(prices);
  ownColors(colors);
}

/** Profiles with a value that natter refuses; the profile in use is resolved with its flags and variables instead. */
function brokenProfiles(stored: StoredSettings, current: string | undefined) {
  const names = Object.keys(stored.settings.profiles).filter((name) => name !== current);
  return names.flatMap((profile): readonly SectionFinding[] => {
    try {
      checkFamilies(resolveSettings({ flags: { profile }, environment: {}, stored }));
      return [];
    } catch (error) {
      const { message, hint } = asFailure(error);
      const advice = hint === undefined ? {} : { advice: hint };
      return [{ check: 'other-profile', outcome: 'warning', text: message, ...advice }];
    }
  });
}

/** The values of the families and of a command may be private: the name of a user, of a team, of a vault. */
function shownValue(name: string, value: string): string {
  if (name === definitions.system.name) return `${value.length} characters`;
  if (name === definitions.apiKeyCommand.name) return 'set';
  return familyNames.some((family) => name.startsWith(`${family}.`)) ? 'set' : value;
}

/** The settings in force that are not the default, without the key. */
function changedSettings(settings: ResolvedSettings): readonly SectionFinding[] {
  return listSettings(settings)
    .filter(({ name, source }) => name !== 'api-key' && source.kind !== 'default')
    .map(({ name, value = '', source }) => ({
      check: 'setting',
      outcome: 'note',
      text: `${name}: ${shownValue(name, value)} (${describeSource(source)})`,
    }));
}

function keyFinding({ apiKey, apiKeyCommand, values }: ResolvedSettings): SectionFinding {
  if (apiKey !== undefined) {
    const text = `a key is set (${describeSource(apiKey.source)})`;
    return { check: 'key', outcome: 'ok', text };
  }
  if (apiKeyCommand !== undefined) {
    const text = `the key is from a command (${describeSource(apiKeyCommand.source)}), which this check does not run`;
    return { check: 'key', outcome: 'note', text };
  }
  const isHere = isLoopbackName(parseBaseUrl(values.baseUrl ?? 'http://localhost').hostname);
  return {
    check: 'key',
    outcome: 'note',
    text: isHere ? 'no key is set; most servers on this machine need none' : 'no key is set',
    ...(!isHere && { advice: 'natter auth login' }),
  };
}

function encryptionFindings({ values, headers }: ResolvedSettings): readonly SectionFinding[] {
  const url = parseBaseUrl(values.baseUrl ?? '');
  if (url.protocol === 'https:' || isLoopbackName(url.hostname)) return [];
  const carried = Object.keys(headers).some(isSecretHeader) ? 'Prompts and headers' : 'Prompts';
  return [
    {
      check: 'encryption',
      outcome: 'warning',
      text: `${carried.toLowerCase()} are sent unencrypted: the base URL is plain http`,
      advice: 'use an https base URL if the service has one',
    },
  ];
}

function serviceFindings(
  context: Context,
  options: GlobalOptions,
  settings: ResolvedSettings,
): readonly SectionFinding[] {
  if (options.sandbox === true) {
    return [{ check: 'service', outcome: 'ok', text: 'the service is the built-in sandbox' }];
  }
  if (settings.values.baseUrl === undefined) {
    const others = otherProfiles(context, settings);
    return [
      {
        check: 'service',
        outcome: 'failed',
        kind: 'configuration',
        text: others?.problem ?? 'no service is configured',
        advice:
          others?.hint ??
          'natter auth login, or set NATTER_BASE_URL; natter doctor --sandbox checks natter without a service',
      },
    ];
  }
  const unsent = settings.unsentSecrets.map((secret): SectionFinding => ({
    check: 'unsent-secret',
    outcome: 'warning',
    text: describeUnsent(secret),
    advice: 'natter auth login stores a key for this address',
  }));
  return [keyFinding(settings), ...unsent, ...encryptionFindings(settings)];
}

/**
 * Checks the files of settings and keys, every profile, and the settings in force.
 * @returns the settings in force; undefined if they cannot be read
 */
export async function checkSettings(
  context: Context,
  options: GlobalOptions,
  add: AddFinding,
): Promise<ResolvedSettings | undefined> {
  const addSetting = (finding: SectionFinding) => add({ section: 'settings', ...finding });
  const warnings = new Set<string>();
  const notices: Notices = { notice: () => undefined, warning: (text) => void warnings.add(text) };
  try {
    const stored = readStored(context, notices);
    for (const text of warnings) {
      await addSetting({ check: 'credentials', outcome: 'warning', text });
    }
    for (const finding of unknownKeys(stored)) await addSetting(finding);
    const settings = readSettings(context, notices, options);
    checkFamilies(settings);
    const { value, source } = settings.profile;
    const text = `profile ${value} (${describeSource(source)}) is readable, and its values are valid`;
    await addSetting({ check: 'profile', outcome: 'ok', text });
    const current = options.sandbox === true ? undefined : value;
    for (const finding of brokenProfiles(stored, current)) await addSetting(finding);
    for (const finding of changedSettings(settings)) await addSetting(finding);
    for (const one of serviceFindings(context, options, settings)) await addSetting(one);
    return settings;
  } catch (error) {
    await add(failedFinding('settings', 'profile', asFailure(error), context));
    return undefined;
  }
}
