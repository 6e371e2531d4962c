import { maskUserInfo, parseUrl } from '../http/base-url.ts';
import { RequestFailure } from './request-failure.ts';

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function isRedirect(status: number): boolean {
  return redirects.has(status);
}

/**
 * Why a redirect ends a request: following it would send the key and the prompt to a place nobody chose.
 * `location` is the response's header, `url` what was asked for.
 */
export function redirectFailure(
  status: number,
  location: string | undefined,
  url: URL,
): RequestFailure {
  const target = location === undefined ? undefined : parseUrl(location, url);
  const place = target === undefined ? 'without saying where to' : `to ${addressOf(target)}`;
  return new RequestFailure(
    'configuration',
    `the service redirects (${status}) ${place}, which natter does not follow`,
    {
      transient: false,
      status,
      hint:
        target === undefined
          ? 'check the base URL: natter auth status'
          : `if that is right, set the base URL: natter config set base-url ${baseUrlOf(target)}`,
    },
  );
}

/** Without its query, which may hold a token. */
function addressOf(url: URL): string {
  return maskUserInfo(`${url.protocol}//${url.host}${url.pathname}`);
}

function baseUrlOf(target: URL): string {
  return `${target.protocol}//${target.host}${target.pathname.replace(/(\/v1)?\/(chat|models)\b.*$/, '')}`;
}
