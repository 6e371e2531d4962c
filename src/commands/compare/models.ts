import { Failure } from '../../failure.ts';
import type { Notices } from '../../output/notices.ts';
import { knownProfiles } from '../../settings/profile-name.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { ownEntry, type StoredSettings } from '../../settings/stored-settings.ts';
import type { CompareOptions } from './options.ts';
import type { Context } from '../program/context.ts';
import { readRequestSettings, readStored } from '../service/settings-access.ts';

/** A model that is asked, as the person named it. */
interface NamedModel {
  readonly label: string;
  /** The profile that was named with it; undefined for the one in force. */
  readonly profile: string | undefined;
  /** Undefined where the profile's own model is meant. */
  readonly model: string | undefined;
}

/** A model that is asked, and all that is in force for it. */
export interface ComparedModel extends NamedModel {
  readonly settings: ResolvedSettings;
}

const usual = 'origin,nextgen';

/**
 * `local:llama3` is the model llama3 of profile local, where there is such a profile; else it is a model's own
 * name, as `llama3:8b` is.
 */
function parseModel(text: string, profiles: ReadonlySet<string>): Omit<NamedModel, 'label'> {
  const colon = text.indexOf(':');
  const profile = text.slice(0, colon);
  if (colon < 0 || !profiles.has(profile)) return { profile: undefined, model: text };
  const model = text.slice(colon + 1);
  return { profile, model: model === '' ? undefined : model };
}

/**
 * The models of lists with commas, in order; of one that is named again the number is added to the label.
 * @throws Failure of kind `usage` for fewer than two
 */
export function parseModels(
  lists: readonly string[],
  profiles: ReadonlySet<string>,
): readonly NamedModel[] {
  const names = lists
    .flatMap((list) => list.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length < 2) {
    throw new Failure('usage', 'a comparison needs two models or more', {
      hint: 'separate them by commas, as in: natter compare -m origin,nextgen …',
    });
  }
  return names.map((name, index) => {
    const before = names.slice(0, index).filter((other) => other === name).length;
    const label = before === 0 ? name : `${name} (${before + 1})`;
    return { label, ...parseModel(name, profiles) };
  });
}

const silence: Notices = { notice: () => undefined, warning: () => undefined };

/** What speaks of the service in force, and not of the one that a profile names. */
function withoutVariables({ environment }: Context, names: readonly string[]) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)));
}

/**
 * A profile that is named with a model says where it is: an address of its own wins over the flag and the
 * variable, and their key stays away from it.
 */
function settingsOf(
  context: Context,
  options: CompareOptions,
  { profile, model }: NamedModel,
  stored: StoredSettings | undefined,
): ResolvedSettings {
  if (profile === undefined) return readRequestSettings(context, silence, options, { model });
  const own = ownEntry(stored?.settings.profiles ?? {}, profile)?.['base-url'];
  const hasAddress = own !== undefined;
  const variables = ['NATTER_MODEL', ...(hasAddress ? ['NATTER_BASE_URL', 'NATTER_API_KEY'] : [])];
  const outside = { ...context, environment: withoutVariables(context, variables) };
  const baseUrl = hasAddress ? undefined : options.baseUrl;
  return readRequestSettings(outside, silence, options, { model, profile, baseUrl });
}

/**
 * The models that the options name, and the settings of each. With `--sandbox` no profile takes part.
 * @throws Failure for fewer than two models, a bad value or a bad file
 */
export function readComparedModels(
  context: Context,
  notices: Notices,
  options: CompareOptions,
): readonly ComparedModel[] {
  const stored = options.sandbox === true ? undefined : readStored(context, notices);
  const profiles = new Set(stored === undefined ? [] : knownProfiles(stored));
  return parseModels(options.models ?? [usual], profiles).map((named) => {
    return { ...named, settings: settingsOf(context, options, named, stored) };
  });
}
