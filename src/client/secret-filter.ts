const mark = '***';

/** Shorter secrets are left alone: masking them would tear ordinary words apart. */
const shortestSecret = 4;
const shortestEncodedPiece = 6;

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

function hexPattern(byte: number): string {
  const digits = byte.toString(16).padStart(2, '0');
  return digits.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/** The secret with any of its characters percent-encoded or escaped as in JSON. */
function writtenPattern(secret: string): string {
  return Array.from(secret, (character) => {
    const bytes = [...Buffer.from(character)];
    const forms = [
      String.raw`\\?${escapePattern(character)}`,
      bytes.map((byte) => `%${hexPattern(byte)}`).join(''),
    ];
    if (bytes.length === 1) forms.push(String.raw`\\u00${hexPattern(bytes[0] ?? 0)}`);
    return `(?:${forms.join('|')})`;
  }).join('');
}

/**
 * The secret within a longer base64 text: it may start at any of three positions of a base64 group, and
 * the characters at both ends also depend on its neighbours, so they are not looked for.
 */
function base64Patterns(secret: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const piece = bytes
      .toString('base64')
      .slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
    if (piece.length < shortestEncodedPiece) return [];
    return [base64Pattern(piece)];
  });
}

/** Standard base64 or base64url, slashes escaped as in JSON or not. */
function base64Pattern(text: string): string {
  return text.replaceAll('/', String.raw`(?:\\?\/|_)`).replaceAll('+', '[+-]');
}

/** The secret alone in base64, where its end is known too; padded or not. */
function wholeBase64Pattern(secret: string): string {
  const [text = ''] = Buffer.from(secret).toString('base64').split('=');
  return `${base64Pattern(text)}={0,2}`;
}

/**
 * A function that masks the secrets in a text: as they are, percent-encoded, escaped as in JSON, and in
 * base64. It sees one text at a time, so a secret cut in two by its caller stays.
 */
export function createSecretFilter(
  secrets: readonly (string | undefined)[],
): (text: string) => string {
  const patterns = secrets
    .filter((secret) => secret !== undefined)
    .map((secret) => secret.trim())
    .filter((secret) => secret.length >= shortestSecret)
    .sort((first, second) => second.length - first.length)
    .flatMap((secret) => [
      writtenPattern(secret),
      wholeBase64Pattern(secret),
      ...base64Patterns(secret),
    ]);
  if (patterns.length === 0) return (text) => text;
  const expression = new RegExp(patterns.join('|'), 'g');
  return (text) => text.replaceAll(expression, mark);
}
