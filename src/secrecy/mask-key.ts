/** Takes the place of what is not shown. */
export const maskMark = '…';

/** Of a shorter key the last four characters would show too much. */
const longEnough = 12;

/** A key for display: its last four characters when it is long enough, else nothing of it. */
export function maskKey(key: string): string {
  return key.length >= longEnough ? `${maskMark}${key.slice(-4)}` : maskMark;
}
