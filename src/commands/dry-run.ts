import { endpointUrl, parseBaseUrl } from '../client/base-url.ts';
import type { RequestHeaders } from '../client/request-headers.ts';
import { createService } from '../client/service.ts';
import { isSecretHeader } from '../secrecy.ts';
import { maskKey, maskMark } from '../settings/mask.ts';
import { describeSource, type ResolvedSettings } from '../settings/resolved-settings.ts';
import { listSettings } from '../settings/setting-rows.ts';
import type { PlannedRequest } from './chat-request.ts';
import type { ChatOptions } from './chat.ts';
import type { Context } from './context.ts';
import { printJson } from './print-data.ts';
import { clientOptions, type Target } from './service.ts';

const path = 'chat/completions';

/** Stands for the address where none is configured, or where the sandbox gets one when it starts. */
const placeholder = 'http://127.0.0.1';

async function target(options: ChatOptions, settings: ResolvedSettings): Promise<Target> {
  if (options.sandbox === true) {
    const { sandboxKey } = await import('../sandbox/keys.ts');
    return { baseUrl: placeholder, apiKey: sandboxKey };
  }
  return { baseUrl: settings.values.baseUrl ?? placeholder, apiKey: settings.apiKey?.value };
}

function address(options: ChatOptions, { values }: ResolvedSettings): string {
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

/**
 * Prints what would be sent, as one JSON document `{request: {method, url, headers, body}, estimate: {tokens,
 * window}, profile, settings: [{name, value, source}]}`. Keys are masked; `body` is exactly what would be sent.
 */
export async function printDryRun(
  context: Context,
  options: ChatOptions,
  settings: ResolvedSettings,
  planned: PlannedRequest,
): Promise<void> {
  const to = await target(options, settings);
  const service = createService({ ...clientOptions(context, settings, to), allowInsecure: true });
  const { method, headers } = service.request(path, planned.request);
  const document = {
    request: {
      method,
      url: address(options, settings),
      headers: maskHeaders(headers, to),
      body: planned.request,
    },
    estimate: { tokens: planned.fit.estimate, window: planned.fit.window ?? null },
    profile: { name: settings.profile.value, source: describeSource(settings.profile.source) },
    settings: listSettings(settings)
      .filter(({ value }) => value !== undefined)
      .map(({ name, value, source }) => ({ name, value, source: describeSource(source) })),
  };
  await printJson(context, document);
}
