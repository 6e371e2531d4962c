/** What a body turned out to be; `page` is HTML or XML. */
export type BodyForm = 'event-stream' | 'json' | 'page' | 'text' | 'empty';

const field = /^(?:(?:data|event|id|retry)[:\n]|:)/;
const fieldStarts = ['data:', 'event:', 'retry:', 'id:'];

/** Longest run of blanks that is held back before the content type alone decides. */
const longestBlank = 1024;

function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function byType(type: string): BodyForm {
  if (type === 'text/event-stream') return 'event-stream';
  return type === 'application/json' || type.endsWith('+json') ? 'json' : 'text';
}

/**
 * Tells from its first characters what a body is; services get `Content-Type` wrong, so it decides only where
 * the text does not. Undefined: more text is needed (never so when `ended`).
 */
export function bodyForm(
  head: string,
  contentType: string | undefined,
  ended: boolean,
): BodyForm | undefined {
  const type = byType(mediaType(contentType));
  const start = head.trimStart();
  if (start === '') {
    if (ended) return 'empty';
    return head.length > longestBlank ? type : undefined;
  }
  if (start.startsWith('{') || start.startsWith('[')) return 'json';
  if (start.startsWith('<')) return 'page';
  if (type === 'event-stream' || field.test(start)) return 'event-stream';
  if (!ended && fieldStarts.some((name) => name.startsWith(start))) return undefined;
  return start.startsWith('"') ? 'json' : type;
}
