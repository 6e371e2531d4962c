/** What stands for a masked part. */
export const maskMark = '…';

/** Shorter keys would give away too much with their end. */
const longEnough = 12;

/** A key for display: its last four characters when it is long enough, else nothing of it. */
export function maskKey(key: string): string {
  return key.length >= longEnough ? `${maskMark}${key.slice(-4)}` : maskMark;
}

/** A URL for display, without user name and password; safe for text that is no valid URL too. */
export function maskUrl(url: string): string {
  const valid = /^[a-z][a-z\d+.-]*:\/\//i.test(url) && URL.canParse(url);
  // In a valid URL the authority ends at the first slash; in a broken one it may hold anything.
  const credentials = valid ? /^([^/]*\/\/)[^/?#\\]*@/ : /^([a-z][a-z\d+.-]*:\/\/)?.*@/is;
  return url.replace(credentials, (_found, scheme: string = '') => `${scheme}${maskMark}@`);
}
