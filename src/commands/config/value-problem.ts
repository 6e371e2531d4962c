import { catalogue } from '../../client/contract.ts';
import { isSet, type Environment } from '../../environment.ts';
import type { FolderFacts } from '../../settings/folders.ts';
import { priceTable } from '../../settings/prices.ts';
import { defaultProfile } from '../../settings/profile-name.ts';
import { getStoredSetting } from '../../settings/profiles.ts';
import { resolveSettings } from '../../settings/resolve.ts';
import type { StoredSettings } from '../../settings/stored-settings.ts';
import { nearlyNamed } from '../../near-name.ts';
import { readWindows } from '../../settings/model-windows.ts';

const published = catalogue.map(({ id }) => id);

function baseUrlOf(
  environment: Environment,
  stored: StoredSettings,
  profile: string,
): string | undefined {
  if (isSet(environment, 'NATTER_BASE_URL')) return environment['NATTER_BASE_URL'];
  const baseUrl = getStoredSetting(stored, profile, 'base-url');
  return typeof baseUrl === 'string' ? baseUrl : undefined;
}

/**
 * Why a model may not exist, from the models that the service of the profile reported in earlier runs. If there are
 * none, only names close to a published model are a problem.
 */
function modelProblem(
  context: FolderFacts,
  stored: StoredSettings,
  profile: string,
  model: string,
): string | undefined {
  const baseUrl = baseUrlOf(context.environment, stored, profile);
  const reported = [...readWindows(context, baseUrl).keys()];
  const known = reported.length === 0 ? published : reported;
  if (model === 'auto' || known.includes(model)) return undefined;
  const near = nearlyNamed(model, known);
  if (near !== undefined) return `${model} is not a known model; did you mean ${near}?`;
  if (reported.length === 0) return undefined;
  return `${model} is not a known model of the service; natter models list shows its models`;
}

/** Why a budget in money does not work yet: the current model has no price in its currency. */
function budgetProblem(
  { environment }: FolderFacts,
  stored: StoredSettings,
  profile: string,
  budget: string,
): string | undefined {
  const currency = /\d\s*([a-z]{3})\s*\//i.exec(budget)?.[1]?.toUpperCase();
  if (currency === undefined) return undefined;
  const flags = { profile };
  const { values, prices } = resolveSettings({ flags, environment, stored });
  const { model } = values;
  if (model === 'auto' || priceTable(prices).get(model)?.currency === currency) return undefined;
  const option =
    profile === (stored.settings.profile ?? defaultProfile) ? '' : ` --profile ${profile}`;
  return `the model ${model} has no price in ${currency}, so no prompt can be sent: natter config set prices.${model} "0.5/1.5 ${currency}"${option}`;
}

/** What a new value of a setting needs; undefined if it can be used. */
export function valueProblem(
  context: FolderFacts,
  stored: StoredSettings,
  profile: string,
  name: string,
  value: string,
): string | undefined {
  if (name === 'model') return modelProblem(context, stored, profile, value);
  return name === 'budget' ? budgetProblem(context, stored, profile, value) : undefined;
}
