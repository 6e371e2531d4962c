import type { PlannedRequest } from './chat-request.ts';
import type { ChatOptions } from './chat.ts';
import type { Context } from './context.ts';
import { endpointUrl, parseBaseUrl } from '../client/base-url.ts';
import { escapeJson } from '../terminal/escape-json.ts';
import { isSecretHeader, maskKey, maskMark } from '../settings/mask.ts';
import type { ResolvedSettings } from '../settings/resolved-settings.ts';
import { listSettings } from '../settings/setting-rows.ts';

function maskedHeaders(settings: ResolvedSettings): Record<string, string> {
  const own = Object.entries(settings.headers).map(([name, { value }]) => [
    name,
    isSecretHeader(name) ? maskMark : value,
  ]);
  const key = settings.apiKey?.value;
  return {
    'content-type': 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${maskKey(key)}` }),
    ...(Object.fromEntries(own) as Record<string, string>),
  };
}

/** The address requests go to; with no service configured, a placeholder. */
function endpoint(settings: ResolvedSettings, options: ChatOptions): string {
  const path = '/v1/chat/completions';
  if (options.sandbox === true) return `{sandbox}${path}`;
  const { baseUrl } = settings.values;
  return baseUrl === undefined
    ? `{base_url}${path}`
    : String(endpointUrl(parseBaseUrl(baseUrl), 'chat/completions'));
}

/**
 * Prints what would be sent, as one JSON document `{request: {method, url, headers, body}, estimate: {tokens,
 * window}, settings: [{name, value, source}]}`. Keys are masked; `body` is exactly what would be sent.
 */
export async function printDryRun(
  context: Context,
  options: ChatOptions,
  settings: ResolvedSettings,
  planned: PlannedRequest,
): Promise<void> {
  const document = {
    request: {
      method: 'POST',
      url: endpoint(settings, options),
      headers: maskedHeaders(settings),
      body: planned.request,
    },
    estimate: { tokens: planned.fit.estimate, window: planned.fit.window ?? null },
    profile: { name: settings.profile.value, source: settings.profile.source },
    settings: listSettings(settings)
      .filter(({ value }) => value !== undefined)
      .map(({ name, value, source }) => ({ name, value, source: `${source.kind} ${source.name}` })),
  };
  await context.streams.stdout.write(`${escapeJson(JSON.stringify(document, undefined, 2))}\n`);
}
