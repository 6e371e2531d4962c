import { catalogue } from '../../client/contract.ts';
import { isSet, type Environment } from '../../environment.ts';
import type { FolderFacts } from '../../settings/folders.ts';
import { getStoredSetting } from '../../settings/profiles.ts';
import type { StoredSettings } from '../../settings/stored-settings.ts';
import { nearlyNamed } from '../../near-name.ts';
import { readKnown } from '../service/served-windows.ts';

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
export function modelProblem(
  context: FolderFacts,
  stored: StoredSettings,
  profile: string,
  model: string,
): string | undefined {
  const baseUrl = baseUrlOf(context.environment, stored, profile);
  const reported = [...readKnown(context, baseUrl).windows.keys()];
  const known = reported.length === 0 ? published : reported;
  if (model === 'auto' || known.includes(model)) return undefined;
  const near = nearlyNamed(model, known);
  if (near !== undefined) return `${model} is not a known model; did you mean ${near}?`;
  if (reported.length === 0) return undefined;
  return `${model} is not a known model of the service; natter models list shows its models`;
}
