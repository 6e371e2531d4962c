import type { ResponseHeaders } from '../transport.ts';

/** The head of a usual response: 200, with a body of known framing. */
export interface ResponseHead {
  readonly headers: ResponseHeaders;
  /** Bytes of the body; undefined for one in chunks. */
  readonly length: number | undefined;
}

/** The most frequent one: V8 takes time to compile a pattern. */
const usualStatus = 'HTTP/1.1 200 OK';
const statusLine = /^HTTP\/1\.1 200(?: [\t\x20-\x7e]*)?$/;
const header = /^([A-Za-z][A-Za-z0-9-]*):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/;

function framed(headers: ResponseHeaders): ResponseHead | undefined {
  const { 'transfer-encoding': coding, 'content-length': length, upgrade, trailer } = headers;
  if (upgrade !== undefined || trailer !== undefined) return undefined;
  if (coding === 'chunked' && length === undefined) return { headers, length: undefined };
  const isCounted = coding === undefined && typeof length === 'string' && /^\d{1,15}$/.test(length);
  return isCounted ? { headers, length: Number(length) } : undefined;
}

/**
 * Parses a head, without the empty line after it. Undefined for everything that is not usual: Node's own
 * parser reads that.
 */
export function parseHead(head: string): ResponseHead | undefined {
  const [first = '', ...lines] = head.split('\r\n');
  if (first !== usualStatus && !statusLine.test(first)) return undefined;
  const headers: Record<string, string | string[]> = {};
  for (const line of lines) {
    const [, name = '', value = ''] = header.exec(line) ?? [];
    const key = name.toLowerCase();
    const known = headers[key];
    const text = value.trimEnd();
    if (key === 'set-cookie') headers[key] = Array.isArray(known) ? [...known, text] : [text];
    // Node has rules for other headers that are repeated.
    else if (key === '' || known !== undefined) return undefined;
    else headers[key] = text;
  }
  return framed(headers);
}
