import type { RawServer } from './raw-server.ts';

/** The environment of a natter that talks to `server`, beside what is given. */
export function serviceAt(
  server: Pick<RawServer, 'url'>,
  env: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return { NATTER_BASE_URL: server.url, NATTER_API_KEY: 'test-key', ...env };
}
