/** A request as it came over the wire. */
export interface RawRequest {
  /** All of it: request line, headers, body. */
  readonly text: string;
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Which connection it came over, from 1. */
  readonly connection: number;
  /** In bytes. */
  readonly length: number;
}

/** The first whole request in `bytes`, if there is one; understands `content-length` alone. */
export function parseRawRequest(bytes: Buffer, connection: number): RawRequest | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [requestLine = '', ...headerLines] = bytes
    .subarray(0, headEnd)
    .toString('latin1')
    .split('\r\n');
  const headers = Object.fromEntries(
    headerLines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const bodyStart = headEnd + 4;
  const length = bodyStart + Number(headers['content-length'] ?? 0);
  if (bytes.length < length) return undefined;
  const [method = '', path = ''] = requestLine.split(' ');
  const text = bytes.subarray(0, length).toString();
  const body = bytes.subarray(bodyStart, length).toString();
  return { text, method, path, headers, body, connection, length };
}
