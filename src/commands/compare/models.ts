import { Failure } from '../../failure.ts';
import type { Notices } from '../../output/notices.ts';
import { knownProfiles } from '../../settings/profile-name.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { ownEntry, type StoredSettings } from '../../settings/stored-settings.ts';
import type { Environment } from '../../environment.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import type { PromptOptions } from '../prompt/prompt-options.ts';
import {
  readRequestSettings,
  readStored,
  type SettingsContext,
} from '../service/settings-access.ts';

/** A model as the user names it: `llama3` or `local:llama3`. */
interface NamedModel {
  readonly label: string;
  /** Undefined for the current profile. */
  readonly profile: string | undefined;
  /** Undefined for the model of the profile. */
  readonly model: string | undefined;
}

export interface ComparedModel extends NamedModel {
  readonly settings: ResolvedSettings;
}

const defaultModels = 'origin,nextgen';

/** The text before a colon is a profile only if there is one of that name: `llama3:8b` is usually a model. */
function parseModel(text: string, profiles: ReadonlySet<string>): Omit<NamedModel, 'label'> {
  const colon = text.indexOf(':');
  const profile = text.slice(0, colon);
  if (colon < 0 || !profiles.has(profile)) return { profile: undefined, model: text };
  const model = text.slice(colon + 1);
  return { profile, model: model === '' ? undefined : model };
}

/** The label of a repeated model has a number. @throws Failure `usage` for fewer than two models */
export function parseModels(
  lists: readonly string[],
  profiles: ReadonlySet<string>,
): readonly NamedModel[] {
  const names = lists
    .flatMap((list) => list.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length < 2) {
    throw new Failure('usage', 'a comparison needs at least two models', {
      hint: 'separate them by commas, as in: natter compare -m origin,nextgen …',
    });
  }
  return names.map((name, index) => {
    const repeats = names.slice(0, index).filter((other) => other === name).length;
    const label = repeats === 0 ? name : `${name} (${repeats + 1})`;
    return { label, ...parseModel(name, profiles) };
  });
}

const silentNotices: Notices = { notice: () => undefined, warning: () => undefined };

function withoutVariables(environment: Environment, names: readonly string[]): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)));
}

type ModelOptions = GlobalOptions & PromptOptions & { readonly models?: readonly string[] };

/** If a profile has a base URL, it wins over the flag and the environment variable, whose key is not sent to it. */
function settingsOf(
  context: SettingsContext,
  options: ModelOptions,
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

/**
 * With `--sandbox`, profiles are ignored.
 * @throws Failure for fewer than two models, an invalid value or an unreadable file
 */
export function readComparedModels(
  context: SettingsContext,
  notices: Notices,
  options: ModelOptions,
): readonly ComparedModel[] {
  const stored = options.sandbox === true ? undefined : readStored(context, notices);
  const profiles = new Set(stored === undefined ? [] : knownProfiles(stored));
  return parseModels(options.models ?? [defaultModels], profiles).map((named) => {
    return { ...named, settings: settingsOf(context, options, named, stored) };
  });
}
