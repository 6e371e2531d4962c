import { type CatalogueEntry, catalogue } from '../client/contract.ts';

// The contract does not define the fields of an error body. The first shape is the default.

interface ErrorShape {
  readonly summary: string;
  /** Default: JSON. */
  readonly contentType?: string;
  readonly write: (name: string, message: string, status: number) => unknown;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** A string is the body itself; any other value is written as JSON. */
const shapes = {
  nested: {
    summary: '`{"error":{"name","message"}}` (default)',
    write: (name, message) => ({ error: { name, message } }),
  },
  typed: {
    summary: '`{"error":{"message","type","param","code"}}`',
    write: (name, message) => ({ error: { message, type: name, param: null, code: name } }),
  },
  numeric: {
    summary: '`{"error":{"code":<status>,"message","status"}}`',
    write: (name, message, code) => ({ error: { code, message, status: name.toUpperCase() } }),
  },
  flat: { summary: '`{"name","message"}`', write: (name, message) => ({ name, message }) },
  detail: { summary: '`{"name","detail"}`', write: (name, detail) => ({ name, detail }) },
  string: { summary: '`{"error":"<message>"}`', write: (_, error) => ({ error }) },
  list: {
    summary: '`{"errors":[{"name","message"}]}`',
    write: (name, message) => ({ errors: [{ name, message }] }),
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

export const errorShapes: Readonly<Record<keyof typeof shapes, ErrorShape>> = shapes;

/** The body of an error response. */
export function errorBody(
  shape: keyof typeof shapes,
  status: number,
  name: string,
  message: string,
): { readonly contentType: string; readonly text: string } {
  const { contentType = 'application/json', write } = errorShapes[shape];
  const body = write(name, message, status);
  return { contentType, text: typeof body === 'string' ? body : JSON.stringify(body) };
}

// The contract defines neither the fields of a record nor the form of the list. The first shape is the default.

function modelFields(entry: CatalogueEntry): object {
  return {
    id: entry.id,
    object: 'model',
    context_window: entry.contextWindow,
    typical_latency_ms: entry.typicalLatency,
    purpose: entry.purpose,
  };
}

export const modelShapes = {
  data: {
    summary: '`{"object":"list","data":[…]}` (default)',
    list: (records: readonly object[]): unknown => ({ object: 'list', data: records }),
  },
  array: { summary: '`[…]`', list: (records: readonly object[]) => records },
  models: { summary: '`{"models":[…]}`', list: (models: readonly object[]) => ({ models }) },
  bare: {
    summary: '`{"data":[…]}`, records with only an id',
    list: (data: readonly object[]) => ({ data }),
  },
};

/** Body of `GET /v1/models/{model}`; undefined for an unknown id. */
export function modelRecord(id: string, shape?: keyof typeof modelShapes): object | undefined {
  const entry = catalogue.find((candidate) => candidate.id === id);
  return entry && (shape === 'bare' ? { id } : modelFields(entry));
}

const hostileRecord = { id: 'red\u001b[31m\u001b]0;title\u0007\u202egpj', object: 'model' };

/** Body of `GET /v1/models`. */
export function modelList(shape: keyof typeof modelShapes = 'data', isHostile = false): unknown {
  const records = catalogue.flatMap(({ id }) => modelRecord(id, shape) ?? []);
  return modelShapes[shape].list(isHostile ? [...records, hostileRecord] : records);
}

interface Malformed {
  readonly summary: string;
  /** Makes the data of the event from the right ones; absent for a line that never ends. */
  readonly corrupt?: (data: string) => string;
}

const malformed = {
  truncated: {
    summary: 'half of the JSON (default)',
    corrupt: (data) => data.slice(0, Math.ceil(data.length / 2)),
  },
  text: { summary: 'not JSON', corrupt: () => 'this is not JSON' },
  html: {
    summary: 'an HTML page of a gateway',
    corrupt: () => '<html><body>502 Bad Gateway</body></html>',
  },
  two: { summary: 'the JSON value twice', corrupt: (data) => `${data} ${data}` },
  scalar: { summary: 'a number', corrupt: () => '42' },
  null: { summary: 'JSON null', corrupt: () => 'null' },
  empty: { summary: 'no data', corrupt: () => '' },
  comment: { summary: 'a comment that a gateway sent as data', corrupt: () => ': keep-alive' },
  utf8: {
    summary: 'invalid UTF-8',
    // Sent as Latin-1, in which ÿ is invalid UTF-8.
    corrupt: () => '{"choices":[{"index":0,"delta":{"content":"a\u00ffb"}}]}',
  },
  endless: { summary: 'a line that never ends' },
} satisfies Record<string, Malformed>;

export const malformedEvents: Readonly<Record<keyof typeof malformed, Malformed>> = malformed;
