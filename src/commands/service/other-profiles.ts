import { silentNotices } from '../../output/notices.ts';
import { definitions } from '../../settings/definitions.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { readStored, type SettingsContext } from './settings-access.ts';

const baseUrlName = definitions.baseUrl.name;

/**
 * What to report where the profile in use has no service, but others have one: the problem, and the commands that use
 * the others. Undefined if no profile has one.
 */
export function otherProfiles(
  context: SettingsContext,
  { profile }: ResolvedSettings,
): { readonly problem: string; readonly hint: string } | undefined {
  // The warnings were printed when the settings were read.
  const stored = readStored(context, silentNotices);
  const others = Object.entries(stored.settings.profiles)
    .filter(([name, settings]) => name !== profile.value && Object.hasOwn(settings, baseUrlName))
    .map(([name]) => name)
    .toSorted();
  if (others.length === 0) return undefined;
  const commands = others.slice(0, 3).map((name) => `natter config use ${name}`);
  const verb = others.length === 1 ? 'has' : 'have';
  return {
    problem: `profile ${profile.value} has no service, but ${others.slice(0, 3).join(', ')} ${verb} one`,
    hint: commands.join(' or '),
  };
}
