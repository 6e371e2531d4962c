import { parseBaseUrl } from '../../client/http/base-url.ts';
import { isLoopbackName } from '../../address.ts';
import type { Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import type { Notices } from '../../output/notices.ts';
import { definitions } from '../../settings/definitions.ts';
import type { SettingValues } from '../../settings/setting-values.ts';
import { checkProfileName } from '../../settings/profile-name.ts';
import { resolveSettings } from '../../settings/resolve.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { parseApiKey, parseSettingValue } from '../../settings/setting-value.ts';
import { emptyCredentials, emptySettings } from '../../settings/stored-settings.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { noticeRisks } from '../service/notice-risks.ts';
import { keepSecrets, readStored, type SettingsContext } from '../service/settings-access.ts';

export interface UpstreamOptions extends GlobalOptions {
  /** The port of the sandbox, unparsed. */
  readonly port: string;
  readonly upstream?: string;
  readonly upstreamProfile?: string;
  /** Unparsed: `origin=llama3:8b`. */
  readonly map?: readonly string[];
}

/** The upstream's key. The clients of the sandbox use NATTER_API_KEY. */
const keyVariable = 'NATTER_UPSTREAM_API_KEY';

/** The hint for a refused key. */
export const keyHint = `set the upstream's key in ${keyVariable} or in the profile`;

export interface UpstreamSettings extends ResolvedSettings {
  readonly values: SettingValues & { readonly baseUrl: string };
}

function withKey(settings: ResolvedSettings, environment: Environment): ResolvedSettings {
  const text = environment[keyVariable] ?? '';
  if (text === '') return settings;
  const value = parseApiKey(text, keyVariable, 'configuration');
  const unsentSecrets = settings.unsentSecrets.filter(({ what }) => what !== 'API key');
  const source = { kind: 'environment', name: keyVariable } as const;
  const { apiKeyCommand: _command, ...others } = settings;
  return { ...others, apiKey: { value, source }, unsentSecrets };
}

function requireUpstream({ upstream, upstreamProfile }: UpstreamOptions): void {
  if (upstream !== undefined || upstreamProfile !== undefined) return;
  throw new Failure('usage', '--map needs an upstream', {
    hint: 'add --upstream <url> or --upstream-profile <name>',
  });
}

/** @throws Failure `usage` that names the option */
function parseUpstream({ upstream, upstreamProfile }: UpstreamOptions) {
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

/** A sandbox that is its own upstream would forward a request to itself forever. */
function refuseLoop(baseUrl: string, { port }: UpstreamOptions): void {
  const url = parseBaseUrl(baseUrl);
  if (!isLoopbackName(url.hostname) || url.port !== port) return;
  throw new Failure('usage', `the sandbox on port ${port} would be its own upstream`, {
    hint: 'choose a different --port',
  });
}

/**
 * The settings for requests to the upstream. Other NATTER_ variables are ignored, because they are for the clients of
 * the sandbox. Without `--retries` nothing is retried, because those clients retry.
 * @throws Failure for an invalid value, an unreadable file, or a profile without a base URL
 */
export function upstreamSettings(
  context: SettingsContext,
  notices: Notices,
  options: UpstreamOptions,
): UpstreamSettings {
  requireUpstream(options);
  const upstream = parseUpstream(options);
  const { profile } = upstream;
  const { retries = '0' } = options;
  const nothing = { settings: emptySettings, credentials: emptyCredentials };
  const resolved = resolveSettings({
    flags: {
      ...options,
      ...upstream,
      retries,
      // The clients of the sandbox decide about a Retry-After of any length.
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
  refuseLoop(baseUrl, options);
  keepSecrets(context, settings);
  noticeRisks(context, notices, settings);
  return { ...settings, values: { ...settings.values, baseUrl } };
}
