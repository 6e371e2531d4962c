import { catalogue } from '../client/contract.ts';

// The contract does not define the fields of an error body. The first shape is the default.

/** Writes a body: a string as it is, any other value as JSON. */
type WriteError = (name: string, message: string, status: number) => unknown;

/** The default content type is JSON. */
export type ErrorShape = readonly [summary: string, write: WriteError, contentType?: string];

function writePage(name: string, message: string, status: number): string {
  const text = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<!doctype html>\n<html><head><title>${status} ${name}</title></head>\n<body><h1>${status} ${name}</h1><p>${text}</p></body></html>\n`;
}

export const errorShapes = {
  nested: [
    '`{"error":{"name","message"}}` (default)',
    (name, message) => ({ error: { name, message } }),
  ],
  typed: [
    '`{"error":{"message","type","param","code"}}`',
    (name, message) => ({ error: { message, type: name, param: null, code: name } }),
  ],
  numeric: [
    '`{"error":{"code":<status>,"message","status"}}`',
    (name, message, code) => ({ error: { code, message, status: name.toUpperCase() } }),
  ],
  flat: ['`{"name","message"}`', (name, message) => ({ name, message })],
  detail: ['`{"name","detail"}`', (name, detail) => ({ name, detail })],
  string: ['`{"error":"<message>"}`', (_, error) => ({ error })],
  list: ['`{"errors":[{"name","message"}]}`', (name, message) => ({ errors: [{ name, message }] })],
  text: ['the message as plain text', (_, message) => message, 'text/plain'],
  html: ['an HTML page, like those of gateways', writePage, 'text/html'],
  empty: ['no body', () => ''],
} satisfies Record<string, ErrorShape>;

// The contract defines neither the fields of a record nor the form of the list. The first shape is the default.

type ModelShape = readonly [summary: string, list: (records: readonly object[]) => unknown];

export const modelShapes = {
  data: ['`{"object":"list","data":[…]}` (default)', (data) => ({ object: 'list', data })],
  array: ['`[…]`', (records) => records],
  models: ['`{"models":[…]}`', (models) => ({ models })],
  bare: ['`{"data":[…]}`, records with only an id', (data) => ({ data })],
} satisfies Record<string, ModelShape>;

/** Body of `GET /v1/models/{model}`; undefined for an unknown id. */
export function modelRecord(id: string, shape?: keyof typeof modelShapes): object | undefined {
  const entry = catalogue.find((candidate) => candidate.id === id);
  if (entry === undefined || shape === 'bare') return entry && { id };
  const { contextWindow: context_window, typicalLatency: typical_latency_ms, purpose } = entry;
  return { id, object: 'model', context_window, typical_latency_ms, purpose };
}

const hostileRecord = { id: 'red\u001b[31m\u001b]0;title\u0007\u202egpj', object: 'model' };

/** Body of `GET /v1/models`. */
export function modelList(shape: keyof typeof modelShapes = 'data', isHostile = false): unknown {
  const records = catalogue.flatMap(({ id }) => modelRecord(id, shape) ?? []);
  const [, list]: ModelShape = modelShapes[shape];
  return list(isHostile ? [...records, hostileRecord] : records);
}

/** Makes the data of the event from the right ones; absent for a line that never ends. */
export type MalformedEvent = readonly [summary: string, corrupt?: (data: string) => string];

export const malformedEvents = {
  truncated: ['half of the JSON (default)', (data) => data.slice(0, Math.ceil(data.length / 2))],
  text: ['not JSON', () => 'this is not JSON'],
  html: ['an HTML page of a gateway', () => '<html><body>502 Bad Gateway</body></html>'],
  two: ['the JSON value twice', (data) => `${data} ${data}`],
  scalar: ['a number', () => '42'],
  null: ['JSON null', () => 'null'],
  empty: ['no data', () => ''],
  comment: ['a comment that a gateway sent as data', () => ': keep-alive'],
  // Sent as Latin-1, in which ÿ is invalid UTF-8.
  utf8: ['invalid UTF-8', () => '{"choices":[{"index":0,"delta":{"content":"a\u00ffb"}}]}'],
  endless: ['a line that never ends'],
} satisfies Record<string, MalformedEvent>;
