import { endpointUrl, parseBaseUrl } from '../client/http/base-url.ts';
import { completionBody } from '../client/contract.ts';
import type { RequestHeaders } from '../client/http/transport.ts';
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

/** Stands for a key that is not known; printed as `…`. */
const maskedKey = 'unknown';

function targetOf({ options, settings }: Run): Target {
  if (options.sandbox === true) return { baseUrl: placeholder, apiKey: sandboxKey };
  // The command that prints the key is not run.
  const apiKey = settings.apiKeyCommand === undefined ? settings.apiKey?.value : maskedKey;
  const { baseUrl = placeholder, apiPath } = settings.values;
  return { baseUrl, apiPath, apiKey };
}

function addressOf({ options, settings: { values } }: Run): string {
  if (options.sandbox === true) return `{sandbox}/v1/${path}`;
  if (values.baseUrl === undefined) return `{base_url}/v1/${path}`;
  return String(endpointUrl(parseBaseUrl(values.baseUrl, values.apiPath), path));
}

function maskHeaders(headers: RequestHeaders, { apiKey }: Target): RequestHeaders {
  const masked = Object.entries(headers).map(([name, value]) => {
    if (name === 'authorization' && apiKey !== undefined)
      return [name, `Bearer ${maskKey(apiKey)}`];
    return [name, isSecretHeader(name) ? maskMark : value];
  });
  return Object.fromEntries(masked) as RequestHeaders;
}

/** Describes a request as `{request: {method, url, headers, body}, estimate: {tokens, window}}`, with keys masked. */
export type DescribeRequest = (planned: PlannedRequest) => object;

/** Makes the headers once, for the many requests of a batch. Sends nothing, and runs no command that prints a key. */
export function requestDescriber(run: Run): DescribeRequest {
  const target = targetOf(run);
  const service = configure({ ...clientOptions(run, target), allowInsecure: true });
  const url = addressOf(run);
  return ({ request, fit }) => {
    const body = completionBody(request);
    const { method, headers } = service.request(path, body);
    return {
      request: { method, url, headers: maskHeaders(headers, target), body },
      estimate: { tokens: fit.estimate, window: fit.window ?? null },
    };
  };
}

/**
 * Describes a request as {@link DescribeRequest} does, and the settings in force: `{…, profile, settings: [{name, value, source}]}`.
 */
export function dryRunDocument(run: Run, planned: PlannedRequest): object {
  const { profile } = run.settings;
  return {
    ...requestDescriber(run)(planned),
    profile: { name: profile.value, source: describeSource(profile.source) },
    settings: listSettings(run.settings)
      .filter(({ value }) => value !== undefined)
      .map(jsonRow)
      .map(({ name, value, source }) => ({ name, value, source: describeSource(source) })),
  };
}
