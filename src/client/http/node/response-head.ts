import type { ResponseHeaders } from '../transport.ts';

/** The head of a usual response: 200, with a body of known framing. */
export interface ResponseHead {
  readonly headers: ResponseHeaders;
  /** Bytes of the body; undefined for one in chunks. */
  readonly length: number | undefined;
}

/** Without the no-break space, which `trim` would remove from a value. */
const usualHead =
  /^HTTP\/1\.1 200(?: [\t\x20-\x7e]*)?(?:\r\n[A-Za-z][A-Za-z0-9-]*:[\t\x20-\x7e\x80-\x9f\xa1-\xff]*)*$/;

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
  if (!usualHead.test(head)) return undefined;
  const headers: Record<string, string | string[]> = {};
  for (const line of head.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    const key = line.slice(0, colon).toLowerCase();
    const known = headers[key];
    const text = line.slice(colon + 1).trim();
    if (key === 'set-cookie') headers[key] = Array.isArray(known) ? [...known, text] : [text];
    // Node has rules for other headers that are repeated.
    else if (known !== undefined) return undefined;
    else headers[key] = text;
  }
  return framed(headers);
}
