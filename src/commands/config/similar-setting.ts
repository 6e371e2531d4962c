import { rephrase } from '../../client/failure/request-failure.ts';
import { Failure } from '../../failure.ts';
import { nearlyNamed } from '../../near-name.ts';
import { definitions, settingKeys } from '../../settings/definitions.ts';
import { parseSettingName, settingFamilies } from '../../settings/setting-name.ts';

/** Names of other clients for settings. */
const foreignNames: ReadonlyMap<string, string> = new Map([
  ['default-model', 'model'],
  ['models.default', 'model'],
  ['url', 'base-url'],
  ['api-base', 'base-url'],
  ['api-url', 'base-url'],
  ['endpoint', 'base-url'],
  ['host', 'base-url'],
  ['system-prompt', 'system'],
  ['temperature', 'params.temperature'],
  ['top-p', 'params.top_p'],
  ['seed', 'params.seed'],
]);

const families = settingFamilies.map(({ name }) => name.replace(/\.<.*/, ''));

/** `param.seed`: a member of a family whose name is mistyped. */
function nearMember(name: string): string | undefined {
  const [family = '', ...rest] = name.split('.');
  const near = rest.length === 0 ? undefined : nearlyNamed(family, families);
  return near && [near, ...rest].join('.');
}

/** The setting that a name in a different spelling, mistyped, or from a different client, means. */
function similarSetting(name: string): string | undefined {
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])|_/g, '-').toLowerCase();
  const known = settingKeys.map((key) => definitions[key].name);
  if (known.includes(words)) return words;
  return foreignNames.get(words) ?? nearlyNamed(words, known) ?? nearMember(name);
}

/** @throws Failure `usage` for an unknown name, with a suggestion if it is similar to one */
export function checkSettingName(name: string): void {
  try {
    parseSettingName(name);
  } catch (error) {
    const similar = similarSetting(name);
    if (!(error instanceof Failure) || similar === undefined) throw error;
    throw rephrase(error, { hint: `did you mean ${similar}?` });
  }
}
