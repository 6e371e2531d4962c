type Fields = Readonly<Record<string, string>>;

/** One HTTP/1.1 response with `content-length`. */
export function response(status: number, headers: Fields = {}, body: string | Uint8Array = '') {
  const bytes = Buffer.from(body);
  return Buffer.concat([head(status, { 'content-length': `${bytes.length}`, ...headers }), bytes]);
}

/** The head of a response; without `content-length` and `transfer-encoding` its body ends with the connection. */
export function head(status: number, headers: Fields = {}): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${status} Test\r\n${lines.join('')}\r\n`);
}

export function json(status: number, value: unknown, headers: Fields = {}) {
  const fields = { 'content-type': 'application/json', ...headers };
  return response(status, fields, JSON.stringify(value));
}

/** The head of a streamed answer with a chunked body: see `chunk` and `lastChunk`. */
export function streamHead(headers: Fields = {}): Buffer {
  const streaming = { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' };
  return head(200, { ...streaming, ...headers });
}

/** One chunk of a chunked body. */
export function chunk(body: string | Uint8Array): Buffer {
  const bytes = Buffer.from(body);
  const size = Buffer.from(`${bytes.length.toString(16)}\r\n`);
  return Buffer.concat([size, bytes, Buffer.from('\r\n')]);
}

export const lastChunk = '0\r\n\r\n';

/** The event with one delta. */
export function delta(content: string): string {
  const choices = [{ index: 0, delta: { content } }];
  return event({ id: 'chatcmpl-1', object: 'chat.completion.chunk', choices });
}

export function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export const done = 'data: [DONE]\n\n';

/** An event with one choice, which has these fields. */
export const choice = (fields: object) => event({ choices: [{ index: 0, ...fields }] });

export const finish = (reason: string) => choice({ delta: {}, finish_reason: reason });

/** A complete streamed response of these events, one chunk each. */
export function stream(...events: readonly string[]): readonly Buffer[] {
  return [streamHead(), ...events.map(chunk), Buffer.from(lastChunk)];
}

/** A complete streamed answer, one chunk for each delta. */
export function streamed(...deltas: readonly string[]): Buffer {
  return Buffer.concat(stream(...deltas.map(delta), done));
}

/** An answer in one body, with this usage if any. */
export const answering = (content: string, usage?: object) =>
  json(200, {
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage,
  });
