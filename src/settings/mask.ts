import { maskMark } from '../secrecy/mask-key.ts';

/** A URL for display, without user name and password; also for text that is not a valid URL. */
export function maskUrl(url: string): string {
  const valid = /^[a-z][a-z\d+.-]*:\/\//i.test(url) && URL.canParse(url);
  // In a valid URL the authority ends at the first slash; in an invalid one it may contain anything.
  const credentials = valid ? /^([^/]*\/\/)[^/?#\\]*@/ : /^([a-z][a-z\d+.-]*:\/\/)?.*@/is;
  return url.replace(credentials, (_found, scheme: string = '') => `${scheme}${maskMark}@`);
}
