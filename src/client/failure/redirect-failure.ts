import { maskUrl } from '../../secrecy/mask.ts';
import { parseUrl } from '../http/base-url.ts';
import { RequestFailure } from './request-failure.ts';

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function isRedirect(status: number): boolean {
  return redirects.has(status);
}

/** Redirects are not followed: the key and the prompt would go to a host that the user did not choose. */
export function redirectFailure(
  status: number,
  location: string | undefined,
  url: URL,
): RequestFailure {
  const target = location === undefined ? undefined : parseUrl(location, url);
  const place = target === undefined ? 'without a target' : `to ${addressOf(target)}`;
  return new RequestFailure(
    'configuration',
    `the service redirects (${status}) ${place}, which natter does not follow`,
    {
      transient: false,
      status,
      remedy:
        target === undefined
          ? { code: 'check-base-url' }
          : { code: 'set-base-url', baseUrl: baseUrlOf(target) },
    },
  );
}

/** Without the query, which may contain a token. */
function addressOf(url: URL): string {
  return maskUrl(`${url.protocol}//${url.host}${url.pathname}`);
}

function baseUrlOf(target: URL): string {
  return `${target.protocol}//${target.host}${target.pathname.replace(/(\/v1)?\/(chat|models)\b.*$/, '')}`;
}
