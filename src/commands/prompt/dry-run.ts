import { endpointUrl, parseBaseUrl } from '../../client/http/base-url.ts';
import { completionBody } from '../../client/contract.ts';
import type { RequestHeaders } from '../../client/http/transport.ts';
import { createService } from '../../client/service.ts';
import { maskKey, maskMark } from '../../secrecy/mask.ts';
import { isSecretHeader } from '../../secrecy/secret-parts.ts';
import { describeSource, type ResolvedSettings } from '../../settings/resolved-settings.ts';
import { jsonRow, listSettings } from '../../settings/setting-rows.ts';
import type { PlannedRequest } from './chat-request.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { printJson } from '../print/print-data.ts';
import { clientOptions, type Target } from '../service/service.ts';

const path = 'chat/completions';

/** Stands for the address where none is configured, or where the sandbox gets one when it starts. */
const placeholder = 'http://127.0.0.1';

async function target(options: GlobalOptions, settings: ResolvedSettings): Promise<Target> {
  if (options.sandbox === true) {
    const { sandboxKey } = await import('../../sandbox/keys.ts');
    return { baseUrl: placeholder, apiKey: sandboxKey };
  }
  return { baseUrl: settings.values.baseUrl ?? placeholder, apiKey: settings.apiKey?.value };
}

function address(options: GlobalOptions, { values }: ResolvedSettings): string {
  if (options.sandbox === true) return `{sandbox}/v1/${path}`;
  if (values.baseUrl === undefined) return `{base_url}/v1/${path}`;
  return String(endpointUrl(parseBaseUrl(values.baseUrl), path));
}

function maskHeaders(headers: RequestHeaders, { apiKey }: Target): RequestHeaders {
  const masked = Object.entries(headers).map(([name, value]) => {
    if (name === 'authorization' && apiKey !== undefined)
      return [name, `Bearer ${maskKey(apiKey)}`];
    return [name, isSecretHeader(name) ? maskMark : value];
  });
  return Object.fromEntries(masked) as RequestHeaders;
}

/** What would be sent, `{request: {method, url, headers, body}, estimate: {tokens, window}}`; keys are masked. */
export type DescribeRequest = (planned: PlannedRequest) => object;

/** How requests to the service of these settings are described. */
export async function requestDescriber(
  context: Context,
  options: GlobalOptions,
  settings: ResolvedSettings,
): Promise<DescribeRequest> {
  const to = await target(options, settings);
  const service = createService({ ...clientOptions(context, settings, to), allowInsecure: true });
  const url = address(options, settings);
  return ({ request, fit }) => {
    const body = completionBody(request);
    const { method, headers } = service.request(path, body);
    return {
      request: { method, url, headers: maskHeaders(headers, to), body },
      estimate: { tokens: fit.estimate, window: fit.window ?? null },
    };
  };
}

/**
 * What would be sent, as {@link DescribeRequest}, and what is in force: `{…, profile, settings: [{name, value,
 * source}]}`; `body` is exactly what would be sent.
 */
export async function dryRunDocument(
  context: Context,
  options: GlobalOptions,
  settings: ResolvedSettings,
  planned: PlannedRequest,
): Promise<object> {
  const describe = await requestDescriber(context, options, settings);
  return {
    ...describe(planned),
    profile: { name: settings.profile.value, source: describeSource(settings.profile.source) },
    settings: listSettings(settings)
      .filter(({ value }) => value !== undefined)
      .map(jsonRow)
      .map(({ name, value, source }) => ({ name, value, source: describeSource(source) })),
  };
}

/** Prints what one prompt would send, as one JSON document. */
export async function printDryRun(
  context: Context,
  options: GlobalOptions,
  settings: ResolvedSettings,
  planned: PlannedRequest,
): Promise<void> {
  await printJson(context, await dryRunDocument(context, options, settings, planned));
}
