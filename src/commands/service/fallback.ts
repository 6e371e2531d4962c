import type { ChainClients, FallbackModel } from '../../ask/fallback.ts';
import { Failure } from '../../failure.ts';
import { silentNotices } from '../../output/notices.ts';
import { knownProfiles } from '../../settings/profile-name.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { type NamedModelOptions, parseModel, settingsOf } from './named-model.ts';
import type { Service } from './service.ts';
import { readStored, type SettingsContext } from './settings-access.ts';

const isSame = (left: ResolvedSettings, right: ResolvedSettings) =>
  left.profile.value === right.profile.value && left.values.model === right.values.model;

/**
 * The model of the settings, and those of their `fallback`.
 * @throws Failure for an unknown profile, one without a service, or a bad value in it
 */
export function fallbackModels(
  context: SettingsContext,
  options: NamedModelOptions,
  settings: ResolvedSettings,
): readonly FallbackModel[] {
  const first = { label: settings.values.model, settings };
  if (settings.values.fallback === undefined) return [first];
  const stored = options.sandbox === true ? undefined : readStored(context, silentNotices);
  const profiles = stored && knownProfiles(stored);
  const kind = settings.sources.fallback.kind === 'flag' ? 'usage' : 'configuration';
  const others = settings.values.fallback.split(',').map((label): FallbackModel => {
    const named = { label, ...parseModel(label, { profiles, kind }) };
    const own = settingsOf(context, options, named, stored);
    const { value: profile } = own.profile;
    const isOfSameService = profile === settings.profile.value;
    if (isOfSameService || own.values.baseUrl !== undefined) return { label, settings: own };
    throw new Failure('configuration', `the profile ${profile} of --fallback has no service`, {
      hint: `natter auth login --profile ${profile}`,
    });
  });
  return [first, ...others.filter((other) => !isSame(other.settings, settings))];
}

/**
 * Opens the services of other profiles when they are needed; the sandbox and a replay answer for all profiles.
 * @param service of the profile in use
 */
export function chainClients(
  service: Service,
  { profile }: ResolvedSettings,
  open: (settings: ResolvedSettings) => Promise<Service>,
): ChainClients {
  const isLocal = service.isSandbox || service.replayedFrom !== undefined;
  const opening = new Map<FallbackModel, Promise<Service>>();
  return {
    async of(model) {
      if (isLocal || model.settings.profile.value === profile.value) return service.client;
      const other = opening.get(model) ?? open(model.settings);
      opening.set(model, other);
      return (await other).client;
    },
    async close() {
      for (const opened of await Promise.allSettled(opening.values())) {
        if (opened.status === 'fulfilled') await opened.value.close();
      }
    },
  };
}
