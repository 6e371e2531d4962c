import { type Environment, isSet } from '../environment.ts';

/** The profile that `--profile` or `NATTER_PROFILE` names; undefined leaves the choice to `config use`. */
export function namedProfile(
  flag: string | undefined,
  environment: Environment,
): string | undefined {
  if (flag !== undefined) return flag;
  return isSet(environment, 'NATTER_PROFILE') ? environment['NATTER_PROFILE'] : undefined;
}
