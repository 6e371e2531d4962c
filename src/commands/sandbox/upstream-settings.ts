import { parseBaseUrl } from '../../client/http/base-url.ts';
import { isLoopbackName } from '../../address.ts';
import type { Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import type { Notices } from '../../output/notices.ts';
import { parseApiKey, parseSettingValue } from '../../settings/setting-value.ts';
import { definitions, type SettingValues } from '../../settings/definitions.ts';
import { checkProfileName } from '../../settings/profile-name.ts';
import { resolveSettings } from '../../settings/resolve.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { emptyCredentials, emptySettings } from '../../settings/stored-settings.ts';
import type { SandboxCommandOptions } from './options.ts';
import { noticeRisks } from '../service/service.ts';
import { keepSecrets, readStored, type SettingsContext } from '../service/settings-access.ts';

/** Holds the upstream's key; the clients in front of the sandbox use NATTER_API_KEY. */
const keyVariable = 'NATTER_UPSTREAM_API_KEY';

/** What to do about a key that is refused. */
export const keyAdvice = `set the upstream's key in ${keyVariable} or in the profile`;

/** Settings with an address. */
export interface UpstreamSettings extends ResolvedSettings {
  readonly values: SettingValues & { readonly baseUrl: string };
}

function withKey(settings: ResolvedSettings, environment: Environment): ResolvedSettings {
  const text = environment[keyVariable] ?? '';
  if (text === '') return settings;
  const value = parseApiKey(text, keyVariable, 'configuration');
  const unsentSecrets = settings.unsentSecrets.filter(({ what }) => what !== 'API key');
  const source = { kind: 'environment', name: keyVariable } as const;
  return { ...settings, apiKey: { value, source }, unsentSecrets };
}

function checkUse({ upstream, upstreamProfile }: SandboxCommandOptions): void {
  if (upstream !== undefined || upstreamProfile !== undefined) return;
  throw new Failure('usage', '--map needs an upstream', {
    hint: 'add --upstream <url> or --upstream-profile <name>',
  });
}

/** Where the upstream is, as typed. @throws Failure `usage` that names the flag */
function placeOf({ upstream, upstreamProfile }: SandboxCommandOptions) {
  return {
    profile:
      upstreamProfile === undefined
        ? undefined
        : checkProfileName(upstreamProfile, '--upstream-profile', 'usage'),
    baseUrl:
      upstream === undefined
        ? undefined
        : parseSettingValue(definitions.baseUrl, upstream, { label: '--upstream', kind: 'usage' }),
  };
}

/** One request would be asked of itself without end. */
function refuseItself(baseUrl: string, { port }: SandboxCommandOptions): void {
  const url = parseBaseUrl(baseUrl);
  if (!isLoopbackName(url.hostname) || url.port !== port) return;
  throw new Failure('usage', `the sandbox on port ${port} would be its own upstream`, {
    hint: 'choose another --port',
  });
}

/**
 * How the sandbox reaches its upstream. The other NATTER_ variables are not looked at: they belong to the clients
 * in front of it. Nothing is retried unless `--retries` asks for it, because those clients retry by themselves.
 * @throws Failure for a bad value or file, or a profile without an address
 */
export function upstreamSettings(
  context: SettingsContext,
  notices: Notices,
  options: SandboxCommandOptions,
): UpstreamSettings {
  checkUse(options);
  const place = placeOf(options);
  const { profile } = place;
  const { retries = '0' } = options;
  const nothing = { settings: emptySettings, credentials: emptyCredentials };
  const resolved = resolveSettings({
    flags: {
      ...options,
      ...place,
      retries,
      // A wait that the upstream asks for is passed on, whatever its length.
      retryMaxWait: options.retryMaxWait ?? '0',
    },
    environment: {},
    stored: profile === undefined ? nothing : readStored(context, notices),
  });
  const settings = withKey(resolved, context.environment);
  const { baseUrl } = settings.values;
  if (baseUrl === undefined) {
    throw new Failure('configuration', `the profile ${profile} has no base URL`, {
      hint: `natter config set base-url <url> --profile ${profile}`,
    });
  }
  refuseItself(baseUrl, options);
  keepSecrets(context, settings);
  noticeRisks(context, notices, settings);
  return { ...settings, values: { ...settings.values, baseUrl } };
}
