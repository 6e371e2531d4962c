import { Failure } from '../../failure.ts';
import type { Notices } from '../../output/notices.ts';
import { knownProfiles } from '../../settings/profile-name.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import type { PromptOptions } from '../prompt/prompt-options.ts';
import { type NamedModel, parseModel, settingsOf } from '../service/named-model.ts';
import { readStored, type SettingsContext } from '../service/settings-access.ts';

export interface ComparedModel extends NamedModel {
  readonly settings: ResolvedSettings;
}

const defaultModels = 'origin,nextgen';

/** The label of a repeated model has a number. @throws Failure `usage` for fewer than two models, or an unknown profile */
export function parseModels(
  lists: readonly string[],
  profiles: readonly string[] | undefined,
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
    return { label, ...parseModel(name, { profiles, kind: 'usage' }) };
  });
}

type ModelOptions = GlobalOptions & PromptOptions & { readonly models?: readonly string[] };

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
  const profiles = stored && knownProfiles(stored);
  return parseModels(options.models ?? [defaultModels], profiles).map((named) => {
    return { ...named, settings: settingsOf(context, options, named, stored) };
  });
}
