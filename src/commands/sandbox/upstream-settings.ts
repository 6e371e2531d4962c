import { parseBaseUrl } from '../../client/http/base-url.ts';
import { isLoopbackName } from '../../address.ts';
import type { Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import { definitions } from '../../settings/definitions.ts';
import { checkProfileName } from '../../settings/profile-name.ts';
import { resolveSettings } from '../../settings/resolve.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { parseApiKey, parseSettingValue } from '../../settings/setting-value.ts';
import { emptyCredentials, emptySettings } from '../../settings/stored-settings.ts';
import type { Context, GlobalOptions, Presentation, Run } from '../../run.ts';
import { noticeRisks } from '../../ask/service.ts';
import { keepSecrets, readStored } from '../../settings/read-settings.ts';

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

function withKey(settings: ResolvedSettings, environment: Environment): ResolvedSettings {
  const text = environment[keyVariable] ?? '';
  if (text === '') return settings;
  const value = parseApiKey(text, keyVariable, 'configuration');
  const unsentSecrets = settings.unsentSecrets.filter(({ what }) => what !== 'API key');
  const source = { kind: 'environment', name: keyVariable } as const;
  const { apiKeyCommand: _command, ...others } = settings;
  return { ...others, apiKey: { value, source }, unsentSecrets };
}

/**
 * The settings for requests to the upstream. Other NATTER_ variables are ignored, because they are for the clients of
 * the sandbox. Without `--retries` nothing is retried, because those clients retry.
 * @throws Failure for an invalid value, an unreadable file, or a profile without a base URL
 */
export function upstreamSettings(
  context: Context,
  presentation: Presentation,
  options: UpstreamOptions,
): { readonly run: Run; readonly baseUrl: string } {
  const { upstream, upstreamProfile, retries = '0' } = options;
  if (upstream === undefined && upstreamProfile === undefined) {
    throw new Failure('usage', '--map needs an upstream', {
      hint: 'add --upstream <url> or --upstream-profile <name>',
    });
  }
  const profile =
    upstreamProfile && checkProfileName(upstreamProfile, '--upstream-profile', 'usage');
  const address = { label: '--upstream', kind: 'usage' } as const;
  const resolved = resolveSettings({
    flags: {
      ...options,
      profile,
      baseUrl: upstream && parseSettingValue(definitions.baseUrl, upstream, address),
      retries,
      // The clients of the sandbox decide about a Retry-After of any length.
      retryMaxWait: options.retryMaxWait ?? '0',
    },
    environment: {},
    stored:
      profile === undefined
        ? { settings: emptySettings, credentials: emptyCredentials }
        : readStored(context, presentation.notices),
  });
  const settings = withKey(resolved, context.environment);
  const { baseUrl } = settings.values;
  if (baseUrl === undefined) {
    throw new Failure('configuration', `the profile ${profile} has no base URL`, {
      hint: `natter config set base-url <url> --profile ${profile}`,
    });
  }
  const { hostname, port } = parseBaseUrl(baseUrl);
  if (isLoopbackName(hostname) && port === options.port) {
    // It would forward a request to itself forever.
    throw new Failure('usage', `the sandbox on port ${port} would be its own upstream`, {
      hint: 'choose a different --port',
    });
  }
  keepSecrets(context, settings);
  const run = { context, options, presentation, settings };
  noticeRisks(run);
  return { run, baseUrl };
}
