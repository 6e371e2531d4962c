import type { Environment } from '../../environment.ts';
import { silentNotices } from '../../output/notices.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { ownEntry, type StoredSettings } from '../../settings/stored-settings.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import type { PromptOptions } from '../prompt/prompt-options.ts';
import { readRequestSettings, type SettingsContext } from './settings-access.ts';

/** A model as the user names it: `llama3` or `local:llama3`. */
export interface NamedModel {
  readonly label: string;
  /** Undefined for the current profile. */
  readonly profile: string | undefined;
  /** Undefined for the model of the profile. */
  readonly model: string | undefined;
}

/** The text before a colon is a profile only if there is one of that name: `llama3:8b` is usually a model. */
export function parseModel(text: string, profiles: ReadonlySet<string>): Omit<NamedModel, 'label'> {
  const colon = text.indexOf(':');
  const profile = text.slice(0, colon);
  if (colon < 0 || !profiles.has(profile)) return { profile: undefined, model: text };
  const model = text.slice(colon + 1);
  return { profile, model: model === '' ? undefined : model };
}

function withoutVariables(environment: Environment, names: readonly string[]): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)));
}

export type NamedModelOptions = GlobalOptions & Pick<PromptOptions, 'param'>;

/** The settings of a named model. If its profile has a base URL, it wins over the flag and the environment variable, whose key is not sent to it. */
export function settingsOf(
  context: SettingsContext,
  options: NamedModelOptions,
  { profile, model }: NamedModel,
  stored: StoredSettings | undefined,
): ResolvedSettings {
  if (profile === undefined) return readRequestSettings(context, silentNotices, options, { model });
  const profileUrl = ownEntry(stored?.settings.profiles ?? {}, profile)?.['base-url'];
  const hasUrl = profileUrl !== undefined;
  const service = ['NATTER_BASE_URL', 'NATTER_API_KEY', 'NATTER_API_KEY_COMMAND'];
  const ignored = ['NATTER_MODEL', ...(hasUrl ? service : [])];
  const environment = withoutVariables(context.environment, ignored);
  const flags = { model, profile, baseUrl: hasUrl ? undefined : options.baseUrl };
  return readRequestSettings({ ...context, environment }, silentNotices, options, flags);
}
