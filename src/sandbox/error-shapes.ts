// The contract does not define the fields of an error body. The first shape is the default.

interface ErrorBody {
  readonly contentType: string;
  readonly text: string;
}

interface ErrorShape {
  readonly summary: string;
  /** Default: JSON. */
  readonly contentType?: string;
  readonly write: (name: string, message: string, status: number) => string;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

const shapes = {
  nested: {
    summary: '`{"error":{"name","message"}}` (default)',
    write: (name, message) => JSON.stringify({ error: { name, message } }),
  },
  typed: {
    summary: '`{"error":{"message","type","param","code"}}`',
    write: (name, message) =>
      JSON.stringify({ error: { message, type: name, param: null, code: name } }),
  },
  numeric: {
    summary: '`{"error":{"code":<status>,"message","status"}}`',
    write: (name, message, status) =>
      JSON.stringify({ error: { code: status, message, status: name.toUpperCase() } }),
  },
  flat: {
    summary: '`{"name","message"}`',
    write: (name, message) => JSON.stringify({ name, message }),
  },
  detail: {
    summary: '`{"name","detail"}`',
    write: (name, message) => JSON.stringify({ name, detail: message }),
  },
  string: {
    summary: '`{"error":"<message>"}`',
    write: (_, message) => JSON.stringify({ error: message }),
  },
  list: {
    summary: '`{"errors":[{"name","message"}]}`',
    write: (name, message) => JSON.stringify({ errors: [{ name, message }] }),
  },
  text: {
    summary: 'the message as plain text',
    contentType: 'text/plain',
    write: (_, message) => message,
  },
  html: {
    summary: 'an HTML page, like those of gateways',
    contentType: 'text/html',
    write: (name, message, status) =>
      `<!doctype html>\n<html><head><title>${status} ${name}</title></head>\n<body><h1>${status} ${name}</h1><p>${escapeHtml(message)}</p></body></html>\n`,
  },
  empty: { summary: 'no body', write: () => '' },
} satisfies Record<string, ErrorShape>;

export type ErrorShapeName = keyof typeof shapes;

export const errorShapes: Readonly<Record<ErrorShapeName, ErrorShape>> = shapes;

export function errorBody(
  shape: ErrorShapeName,
  status: number,
  name: string,
  message: string,
): ErrorBody {
  const { contentType = 'application/json', write } = errorShapes[shape];
  return { contentType, text: write(name, message, status) };
}
