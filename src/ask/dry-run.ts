import { endpointUrl, parseBaseUrl } from '../client/http/base-url.ts';
import { completionBody } from '../client/contract.ts';
import { configure } from '../client/configuration.ts';
import { maskKey, maskMark } from '../secrets/mask.ts';
import { isSecretHeader } from '../secrets/secret-parts.ts';
import { describeSource } from '../settings/resolved-settings.ts';
import { jsonRow, listSettings } from '../settings/setting-rows.ts';
import type { PlannedRequest } from './plan-request.ts';
import type { Run } from '../run.ts';
import { clientOptions, type Target } from './service.ts';
import { sandboxKey } from '../sandbox/keys.ts';

const path = 'chat/completions';

/** The address if none is configured, and for the sandbox, which gets one when it starts. */
const placeholder = 'http://127.0.0.1';

/** The value of an unknown key. A dry run prints it as `…`. */
const maskedKey = 'unknown';

function targetOf({ options, settings }: Run): Target {
  if (options.sandbox === true) return { baseUrl: placeholder, apiKey: sandboxKey };
  // The command that prints the key is not run.
  const apiKey = settings.apiKeyCommand === undefined ? settings.apiKey?.value : maskedKey;
  const { baseUrl = placeholder, apiPath } = settings.values;
  return { baseUrl, apiPath, apiKey };
}

/**
 * Describes a request as `{request: {method, url, headers, body}, estimate: {tokens, window}}`, with keys masked. Sends
 * nothing, and runs no command that prints a key.
 */
export function describeRequest(run: Run, { request, fit }: PlannedRequest): object {
  const target = targetOf(run);
  const { baseUrl, apiPath } = run.settings.values;
  const host = run.options.sandbox === true ? '{sandbox}' : '{base_url}';
  const isKnown = run.options.sandbox !== true && baseUrl !== undefined;
  const url = isKnown
    ? String(endpointUrl(parseBaseUrl(baseUrl, apiPath), path))
    : `${host}/v1/${path}`;
  const body = completionBody(request);
  const options = { ...clientOptions(run, target), allowInsecure: true };
  const { method, headers } = configure(options).request(path, body);
  const masked = Object.entries(headers).map(([name, value]) => {
    if (name !== 'authorization' || target.apiKey === undefined)
      return [name, isSecretHeader(name) ? maskMark : value];
    return [name, `Bearer ${maskKey(target.apiKey)}`];
  });
  return {
    request: { method, url, headers: Object.fromEntries(masked) as object, body },
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
