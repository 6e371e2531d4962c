import { Failure, type FailureKind } from '../failure.ts';

/**
 * The key without the spaces around it.
 * @param label where the key came from, for the message, which never contains the key
 * @throws Failure of `kind` for a key with characters not allowed in an HTTP header
 */
export function parseApiKey(text: string, label: string, kind: FailureKind): string {
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new Failure(kind, `${label} ${describeProblem(key)}`, {
    hint: 'copy the key again, alone and on one line',
  });
}

function describeProblem(key: string): string {
  if (key === '') return 'is empty';
  if (/[\r\n]/.test(key)) return 'contains a line break';
  if (/^bearer\s/i.test(key)) return 'starts with the word Bearer, which natter adds itself';
  if (/\s/.test(key)) return 'contains a space';
  return 'contains a character that is not plain ASCII';
}
