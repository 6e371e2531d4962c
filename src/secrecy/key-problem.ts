/** Why a key cannot be sent in an HTTP header, as the end of a sentence. Does not show the key. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'is empty';
  if (/^["'`]/.test(key)) return 'begins with a quote';
  if (/["'`]$/.test(key)) return 'ends with a quote';
  const position = key.search(/[^\x21-\x7e]/);
  if (position === -1) return undefined;
  if (/[\r\n]/.test(key)) return 'contains a line break';
  if (/^bearer\s/i.test(key)) return 'starts with the word Bearer, which natter adds itself';
  if (/\s/.test(key)) return 'contains a space';
  const code = key.codePointAt(position) ?? 0;
  const found = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return `contains a character that is not plain ASCII (${found} at position ${position + 1})`;
}
