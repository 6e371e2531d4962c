// What natter finds on this machine: settings, variables, folders and files.
import fs from 'node:fs';
import path from 'node:path';
import { isLoopbackName } from '../../address.ts';
import { parseBaseUrl } from '../../client/http/base-url.ts';
import type { Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import { nearlyNamed } from '../../near-name.ts';
import type { Notices } from '../../output/notices.ts';
import { definitions, familyNames, settingKeys } from '../../settings/definitions.ts';
import { environmentVariables } from '../../settings/environment-variables.ts';
import { resolveSettings } from '../../settings/resolve.ts';
import { describeSource, type ResolvedSettings } from '../../settings/resolved-settings.ts';
import { listSettings, type SettingRow, valueText } from '../../settings/setting-rows.ts';
import {
  type StoredSettings,
  modeText,
  privateMode,
  settingsPath,
  readStored,
} from '../../settings/settings-file.ts';
import { otherProfiles, readSettings } from '../../settings/read-settings.ts';
import { asFailure, failed, note, ok, warning, type Examination, type Finding } from './finding.ts';
import { isSecretHeader } from '../../secrets/secret-parts.ts';
import { resolveCacheFolder, resolveFolders } from '../../settings/folders.ts';
import { failureReason } from '../../storage/storage-failure.ts';

type Page = Generator<Finding>;

const knownKeys: readonly string[] = [
  ...settingKeys.map((key) => definitions[key].name),
  ...familyNames,
];

const meant = (near: string | undefined) => (near === undefined ? '' : `did you mean ${near}? `);

function* unknownKeys({ settings }: StoredSettings): Page {
  const { version: _version, profile: _profile, profiles, ...others } = settings;
  const own = Object.keys(others).map((name) => [name, 'in config.json'] as const);
  const inProfiles = Object.entries(profiles).flatMap(([profile, values]) =>
    Object.keys(values)
      .filter((name) => !knownKeys.includes(name))
      .map((name) => [name, `in profile ${profile}`] as const),
  );
  for (const [key, where] of [...own, ...inProfiles]) {
    const text = `${JSON.stringify(key)} ${where} is not a setting and has no effect`;
    const near = meant(nearlyNamed(key, knownKeys));
    const advice = `${near}correct the file by hand: ‹natter config path› prints its path`;
    yield warning('unknown-key', text, advice);
  }
}

/** Profiles with a value that natter refuses; the profile in use is resolved with its flags and variables instead. */
function* brokenProfiles(stored: StoredSettings, current: string | undefined): Page {
  const names = Object.keys(stored.settings.profiles).filter((name) => name !== current);
  for (const profile of names) {
    try {
      resolveSettings({ flags: { profile }, environment: {}, stored });
    } catch (error) {
      const { message, markedHint: hint } = asFailure(error);
      yield warning('other-profile', message, hint);
    }
  }
}

/** Variables that look like natter's and are not: `NATTER_MODLE`. */
function* unknownVariables(environment: Environment): Page {
  const known = environmentVariables.map(({ name }) => name.toLowerCase());
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('NATTER_') || known.includes(name.toLowerCase())) continue;
    const near = nearlyNamed(name.toLowerCase(), known)?.toUpperCase();
    const advice = `${meant(near)}‹natter help environment› lists the variables`;
    yield warning('variable', `natter reads no variable ${name}`, advice);
  }
}

/** The values of the families and of a command may be private: the name of a user, of a team, of a vault. */
function shownValue(row: SettingRow): string {
  const { name } = row;
  const value = valueText(row);
  if (name === definitions.system.name) return `${value.length} characters`;
  if (name === definitions.apiKeyCommand.name) return 'set';
  return familyNames.some((family) => name.startsWith(`${family}.`)) ? 'set' : value;
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

function* serviceFindings(examination: Examination, settings: ResolvedSettings): Page {
  if (examination.options.sandbox === true) {
    yield ok('service', 'the service is the built-in sandbox');
  } else if (settings.values.baseUrl === undefined) {
    const {
      problem = 'no service is configured',
      hint = '‹natter auth login›, or set NATTER_BASE_URL; ‹natter doctor --sandbox› checks natter without a service',
    } = otherProfiles(examination.context, settings) ?? {};
    const failure = new Failure('configuration', problem, { hint });
    yield failed('service', failure, examination);
  } else {
    yield keyFinding(settings);
    for (const secret of settings.unsentSecrets) {
      const advice = '‹natter auth login› stores a key for this address';
      yield warning('unsent-secret', secret.text, advice);
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
    const { value, source } = settings.profile;
    const text = `profile ${value} (${describeSource(source)}) is readable, and its values are valid`;
    yield ok('profile', text);
    yield* brokenProfiles(stored, options.sandbox === true ? undefined : value);
    for (const one of listSettings(settings)) {
      if (one.name === 'api-key' || one.value === undefined) continue;
      if (one.source.kind === 'default') continue;
      yield note('setting', `${one.name}: ${shownValue(one)} (${describeSource(one.source)})`);
    }
    yield* serviceFindings(examination, settings);
    return settings;
  } catch (error) {
    yield failed('profile', asFailure(error), examination);
    return undefined;
  }
}

const writableByOthers = 0o022;
const accessibleToOthers = 0o077;

/** The folder itself, or the nearest one above it that exists. */
function nearestFolder(folder: string): string {
  const parent = path.dirname(folder);
  return fs.existsSync(folder) || parent === folder ? folder : nearestFolder(parent);
}

/** @param without what natter does without the folder; undefined if it needs the folder */
function folderFinding(
  examination: Examination,
  name: string,
  folder: string,
  without?: string,
): Finding {
  const { platform, process, random } = examination.context;
  const check = `${name}-folder`;
  try {
    const entry = fs.statSync(folder, { throwIfNoEntry: false });
    if (entry === undefined) {
      fs.accessSync(nearestFolder(folder), fs.constants.W_OK | fs.constants.X_OK);
      return ok(check, `the ${name} folder ${folder} does not exist yet and can be created`);
    }
    // Modes do not show quotas, full disks and read-only file systems.
    const probe = path.join(folder, `.doctor-${process.id}-${random().toString(36).slice(2)}`);
    fs.writeFileSync(probe, 'natter doctor\n', { flag: 'wx', mode: privateMode });
    fs.unlinkSync(probe);
    if (platform !== 'win32' && (entry.mode & writableByOthers) !== 0) {
      const text = `others can change the ${name} folder ${folder} (mode ${modeText(entry.mode)})`;
      return warning(check, text, `chmod 700 ${folder}`);
    }
    return ok(check, `the ${name} folder ${folder} is writable`);
  } catch (error) {
    const text = `cannot write into the ${name} folder ${folder}: ${failureReason(error)}`;
    if (without !== undefined) return warning(check, text, without);
    const hint =
      'check the path, its permissions and the free space; ‹natter config paths› lists all paths';
    return failed(check, new Failure('storage', text, { hint }), examination);
  }
}

const withoutState = 'natter works without it, but keeps no prompt history and no drafts';
const withoutCache = 'natter works without it, but starts more slowly';

export function* checkFiles(examination: Examination, settings?: ResolvedSettings): Page {
  const { context } = examination;
  try {
    const { config, data, state } = resolveFolders(context);
    if (context.homeDirectory === undefined) {
      yield warning('home', 'the home folder is unknown', 'set HOME');
    }
    const isCached = context.environment['NODE_DISABLE_COMPILE_CACHE'] !== '1';
    const cache = isCached ? resolveCacheFolder(context) : undefined;
    if (config !== undefined) yield folderFinding(examination, 'settings', config);
    if (data !== undefined) yield folderFinding(examination, 'data', data);
    if (state !== undefined) yield folderFinding(examination, 'state', state, withoutState);
    if (cache !== undefined) yield folderFinding(examination, 'cache', cache, withoutCache);
    // The file of settings is private only if it has secrets.
    const hasSecret = Object.keys(settings?.headers ?? {}).some(isSecretHeader);
    if (config !== undefined && context.platform !== 'win32' && hasSecret) {
      const file = settingsPath(config, 'config');
      const { mode = 0 } = fs.statSync(file, { throwIfNoEntry: false }) ?? {};
      const text = `others can read ${file} (mode ${modeText(mode)}), which has a secret header`;
      if ((mode & accessibleToOthers) !== 0)
        yield warning('settings-file', text, `chmod 600 ${file}`);
    }
  } catch (error) {
    yield failed('folders', asFailure(error), examination);
  }
}
