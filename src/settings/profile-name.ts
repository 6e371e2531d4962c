import type { Environment } from '../environment.ts';
import { Failure, type FailureKind } from '../failure.ts';
import type { Resolved, Source } from './resolved-settings.ts';
import { isPrototypeName } from '../json.ts';
import { emptyCredentials, ownEntry, type StoredSettings } from './stored-settings.ts';

/** Returns the profile that `--profile` or `NATTER_PROFILE` names; undefined leaves the choice to `config use`. */
export const namedProfile = (flag: string | undefined, environment: Environment) =>
  flag ?? (environment['NATTER_PROFILE'] || undefined);

/** The profile if none is chosen; it need not be in a file. */
export const defaultProfile = 'default';

/**
 * Checks the name of a profile.
 * @returns the name
 * @throws Failure of `kind` for one that is not valid as a key in the files
 */
export function checkProfileName(name: string, label: string, kind: FailureKind): string {
  if (/^[A-Za-z0-9_][\w.-]{0,63}$/.test(name) && !isPrototypeName(name)) return name;
  throw new Failure(kind, `${label} is not a profile name`, {
    hint: 'use up to 64 letters, digits, dots, dashes and underscores, starting with a letter or digit',
  });
}

/** Lists the default profile and those with settings or a key, sorted. */
export function knownProfiles({ settings, credentials }: StoredSettings): readonly string[] {
  const names = new Set([
    defaultProfile,
    ...Object.keys(settings.profiles),
    ...Object.keys(credentials.profiles),
  ]);
  return [...names].sort();
}

/** The failure for a name that no profile has. */
export function unknownProfile(name: string, stored: StoredSettings): Failure {
  return new Failure('configuration', `there is no profile ${JSON.stringify(name)}`, {
    hint: `the profiles are ${knownProfiles(stored).join(', ')}`,
  });
}

/**
 * Chooses the profile in force: of `--profile`, `NATTER_PROFILE` or `config use`, else the default one.
 * @param flag the value of `--profile`
 * @param allowNew for commands that may create the profile
 * @throws Failure for an unknown profile; the hint lists the known ones
 */
export function chooseProfile(
  flag: string | undefined,
  environment: Environment,
  stored: StoredSettings,
  allowNew = false,
): Resolved<string> {
  const named = namedProfile(flag, environment);
  const current = stored.settings.profile;
  let source: Source = { kind: 'default', name: 'default' };
  if (current !== undefined) source = { kind: 'profile', name: 'set by config use' };
  if (named !== undefined) source = { kind: 'environment', name: 'NATTER_PROFILE' };
  if (flag !== undefined) source = { kind: 'flag', name: '--profile' };
  const label = source.kind === 'profile' ? 'the current profile in config.json' : source.name;
  const kind = source.kind === 'flag' ? 'usage' : 'configuration';
  const value = checkProfileName(named ?? current ?? defaultProfile, label, kind);
  if (allowNew || knownProfiles(stored).includes(value)) return { value, source };
  throw unknownProfile(value, stored);
}

const terminalNames: ReadonlySet<string> = new Set(
  [
    'shell-commands continue keep compact editing theme wrap times notify notify-after progress',
    'window-title prompt-marks keys colors',
  ].flatMap((names) => names.split(' ')),
);

/**
 * Makes the settings of a profile for conversations and the terminal those of the default profile: they apply to the
 * sandbox, too, unlike those of its service and requests.
 */
export function terminalSettings({ settings }: StoredSettings, profile: string): StoredSettings {
  const own = ownEntry(settings.profiles, profile) ?? {};
  const kept = Object.entries(own).filter(([name]) => terminalNames.has(name));
  const profiles = { [defaultProfile]: Object.fromEntries(kept) };
  // No profile was chosen for the sandbox.
  const { profile: _chosen, ...others } = settings;
  return { settings: { ...others, profiles }, credentials: emptyCredentials };
}
