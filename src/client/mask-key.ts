/** `text` with every form of `key` a server could echo (as it is, base64, percent-encoded) replaced by `***`. */
export function maskKey(text: string, key: string | undefined): string {
  if (key === undefined || key === '') return text;
  const bytes = Buffer.from(key);
  const base64 = bytes.toString('base64');
  const forms = [
    key,
    encodeURIComponent(key),
    base64,
    base64.replace(/=+$/, ''),
    bytes.toString('base64url'),
  ];
  return forms.reduce((masked, form) => masked.replaceAll(form, '***'), text);
}
