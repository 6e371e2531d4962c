const field = /^(?:(?:data|event|id|retry)[:\n]|:)/;
const fieldStarts = ['data:', 'event:', 'retry:', 'id:'];

/** The characters of white space after which the content type alone decides. */
const maxBlank = 1024;

function formOfType(contentType = '') {
  const [type = ''] = contentType.trim().toLowerCase().split(/\s*;/, 1);
  if (type === 'text/event-stream') return 'event-stream';
  return type === 'application/json' || type.endsWith('+json') ? 'json' : 'text';
}

/**
 * Detects the form of a body from its first characters. Services send wrong `Content-Type` headers, so the header
 * decides only where the text is ambiguous. Undefined: more text is needed (never if `ended`).
 */
export function bodyForm(
  head: string,
  contentType: string | undefined,
  ended: boolean,
): 'event-stream' | 'json' | 'page' | 'text' | 'empty' | undefined {
  const start = head.trimStart();
  if (start.startsWith('data:')) return 'event-stream';
  if (start === '') {
    if (ended) return 'empty';
    return head.length > maxBlank ? formOfType(contentType) : undefined;
  }
  if (start.startsWith('{') || start.startsWith('[')) return 'json';
  if (start.startsWith('<')) return 'page';
  if (field.test(start)) return 'event-stream';
  const type = formOfType(contentType);
  if (type === 'event-stream') return type;
  if (!ended && fieldStarts.some((name) => name.startsWith(start))) return undefined;
  return start.startsWith('"') ? 'json' : type;
}
