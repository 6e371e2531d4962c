import { maskMark } from '../secrecy/mask-key.ts';

/** A URL for display, without user name and password; safe for text that is no valid URL too. */
export function maskUrl(url: string): string {
  const valid = /^[a-z][a-z\d+.-]*:\/\//i.test(url) && URL.canParse(url);
  // In a valid URL the authority ends at the first slash; in a broken one it may hold anything.
  const credentials = valid ? /^([^/]*\/\/)[^/?#\\]*@/ : /^([a-z][a-z\d+.-]*:\/\/)?.*@/is;
  return url.replace(credentials, (_found, scheme: string = '') => `${scheme}${maskMark}@`);
}
