import { isLoopbackName } from '../../address.ts';
import { parseBaseUrl } from '../../client/http/base-url.ts';
import type { Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import { nearlyNamed } from '../../near-name.ts';
import type { Notices } from '../../output/notices.ts';
import { definitions, familyNames, settingKeys } from '../../settings/definitions.ts';
import { environmentVariables } from '../../settings/environment-variables.ts';
import { ownColors } from '../../settings/own-colors.ts';
import { priceTable } from '../../settings/prices.ts';
import { resolveSettings } from '../../settings/resolve.ts';
import {
  describeSource,
  describeUnsent,
  type ResolvedSettings,
} from '../../settings/resolved-settings.ts';
import { listSettings } from '../../settings/setting-rows.ts';
import type { StoredSettings } from '../../settings/stored-settings.ts';
import { otherProfiles, readSettings, readStored } from '../../settings/read-settings.ts';
import { asFailure, failedFinding, findingsOf, type Examination, type Finding } from './finding.ts';

const section = 'settings';
const { ok, note, warning } = findingsOf(section);

const documentKeys = new Set(['version', 'profile', 'profiles']);
const knownKeys: readonly string[] = [
  ...settingKeys.map((key) => definitions[key].name),
  ...familyNames,
];

const meant = (near: string | undefined) => (near === undefined ? '' : `did you mean ${near}? `);

function unknownKey(key: string, where: string): Finding {
  const text = `${JSON.stringify(key)} ${where} is not a setting and has no effect`;
  const advice = `${meant(nearlyNamed(key, knownKeys))}correct the file by hand: ‹natter config path› prints its path`;
  return warning('unknown-key', text, advice);
}

/** Keys in the settings file that natter does not read. */
function unknownKeys({ settings }: StoredSettings): readonly Finding[] {
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
  return names.flatMap((profile): readonly Finding[] => {
    try {
      checkFamilies(resolveSettings({ flags: { profile }, environment: {}, stored }));
      return [];
    } catch (error) {
      const { message, markedHint: hint } = asFailure(error);
      return [warning('other-profile', message, hint)];
    }
  });
}

/** Variables that look like natter's and are not: `NATTER_MODLE`. */
function unknownVariables(environment: Environment): readonly Finding[] {
  const known = environmentVariables.map(({ name }) => name.toLowerCase());
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith('NATTER_') && !known.includes(name.toLowerCase()),
  );
  return unknown.map((name) => {
    const near = nearlyNamed(name.toLowerCase(), known)?.toUpperCase();
    const advice = `${meant(near)}‹natter help environment› lists the variables`;
    return warning('variable', `natter reads no variable ${name}`, advice);
  });
}

/** The values of the families and of a command may be private: the name of a user, of a team, of a vault. */
function shownValue(name: string, value: string): string {
  if (name === definitions.system.name) return `${value.length} characters`;
  if (name === definitions.apiKeyCommand.name) return 'set';
  return familyNames.some((family) => name.startsWith(`${family}.`)) ? 'set' : value;
}

/** The settings in force that are not the default, without the key. */
function changedSettings(settings: ResolvedSettings): readonly Finding[] {
  return listSettings(settings)
    .filter(({ name, source }) => name !== 'api-key' && source.kind !== 'default')
    .map(({ name, value = '', source }) => {
      const shown = shownValue(name, value);
      return note('setting', `${name}: ${shown} (${describeSource(source)})`);
    });
}

function keyFinding({ apiKey, apiKeyCommand, values }: ResolvedSettings): Finding {
  const check = 'key';
  if (apiKey !== undefined) return ok(check, `a key is set (${describeSource(apiKey.source)})`);
  if (apiKeyCommand !== undefined) {
    const source = describeSource(apiKeyCommand.source);
    return note(check, `the key is from a command (${source}), which this check does not run`);
  }
  if (isLoopbackName(parseBaseUrl(values.baseUrl ?? '').hostname)) {
    return note(check, 'no key is set; most servers on this machine need none');
  }
  return note(check, 'no key is set', '‹natter auth login›');
}

const noService =
  '‹natter auth login›, or set NATTER_BASE_URL; ‹natter doctor --sandbox› checks natter without a service';

function* serviceFindings(
  examination: Examination,
  settings: ResolvedSettings,
): Generator<Finding> {
  if (examination.options.sandbox === true) {
    yield ok('service', 'the service is the built-in sandbox');
  } else if (settings.values.baseUrl === undefined) {
    const { problem = 'no service is configured', hint = noService } =
      otherProfiles(examination.context, settings) ?? {};
    const failure = new Failure('configuration', problem, { hint });
    yield failedFinding(section, 'service', failure, examination);
  } else {
    yield keyFinding(settings);
    for (const secret of settings.unsentSecrets) {
      const advice = '‹natter auth login› stores a key for this address';
      yield warning('unsent-secret', describeUnsent(secret), advice);
    }
  }
}

/**
 * Checks the files of settings and keys, every profile, and the settings in force.
 * @returns the settings in force; undefined if they cannot be read
 */
export function* checkSettings(
  examination: Examination,
): Generator<Finding, ResolvedSettings | undefined> {
  const { context, options } = examination;
  const warnings = new Set<string>();
  const notices: Notices = { notice: () => undefined, warning: (text) => void warnings.add(text) };
  try {
    const stored = readStored(context, notices);
    for (const text of warnings) yield warning('credentials', text);
    yield* unknownKeys(stored);
    yield* unknownVariables(context.environment);
    const settings = readSettings(context, notices, options, { model: options.model });
    checkFamilies(settings);
    const { value, source } = settings.profile;
    const text = `profile ${value} (${describeSource(source)}) is readable, and its values are valid`;
    yield ok('profile', text);
    yield* brokenProfiles(stored, options.sandbox === true ? undefined : value);
    yield* changedSettings(settings);
    yield* serviceFindings(examination, settings);
    return settings;
  } catch (error) {
    yield failedFinding(section, 'profile', asFailure(error), examination);
    return undefined;
  }
}
