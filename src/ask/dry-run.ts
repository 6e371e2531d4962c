import { completionBody } from '../client/contract.ts';
import { configure } from '../client/configuration.ts';
import { maskKey, maskMark } from '../secrets/mask.ts';
import { isSecretHeader } from '../secrets/secret-parts.ts';
import { describeSource } from '../settings/resolved-settings.ts';
import { jsonRow, listSettings } from '../settings/setting-rows.ts';
import type { PlannedRequest } from './plan-request.ts';
import type { Run } from '../run.ts';
import { clientOptions } from './service.ts';
import { sandboxKey } from '../sandbox/keys.ts';

/** The address if none is configured, and for the sandbox, which gets one when it starts. */
const placeholder = 'http://127.0.0.1';

/** The value of an unknown key. A dry run prints it as `…`. */
const maskedKey = 'unknown';

/**
 * Describes a request as `{request: {method, url, headers, body}, estimate: {tokens, window}}`, with keys masked. Sends
 * nothing, and runs no command that prints a key.
 */
export function describeRequest(run: Run, { request, fit }: PlannedRequest): object {
  const { apiKey: ownKey, apiKeyCommand, values } = run.settings;
  const isSandbox = run.options.sandbox === true;
  const baseUrl = isSandbox ? undefined : values.baseUrl;
  const profileKey = apiKeyCommand === undefined ? ownKey?.value : maskedKey;
  const apiKey = isSandbox ? sandboxKey : profileKey;
  const apiPath = baseUrl === undefined ? undefined : values.apiPath;
  const target = { baseUrl: baseUrl ?? placeholder, apiPath, apiKey };
  const options = { ...clientOptions(run, target), allowInsecure: true };
  const body = completionBody(request);
  const { method, headers, url } = configure(options).request('chat/completions', body);
  const host = isSandbox ? '{sandbox}' : '{base_url}';
  const masked = Object.entries(headers).map(([name, value]) => {
    if (name === 'authorization' && apiKey !== undefined)
      return [name, `Bearer ${maskKey(apiKey)}`];
    return [name, isSecretHeader(name) ? maskMark : value];
  });
  return {
    request: {
      method,
      url: baseUrl === undefined ? url.href.replace(placeholder, host) : url.href,
      headers: Object.fromEntries(masked) as object,
      body,
    },
    estimate: { tokens: fit.estimate, window: fit.window ?? null },
  };
}

/**
 * Describes a request as {@link describeRequest} does, and the settings in force: `{…, profile, settings: [{name, value, source}]}`.
 */
export function dryRunDocument(run: Run, planned: PlannedRequest): object {
  const { profile } = run.settings;
  return {
    ...describeRequest(run, planned),
    profile: { name: profile.value, source: describeSource(profile.source) },
    settings: listSettings(run.settings)
      .filter(({ value }) => value !== undefined)
      .map(jsonRow)
      .map(({ name, value, source }) => ({ name, value, source: describeSource(source) })),
  };
}
