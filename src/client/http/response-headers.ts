import { type Mask, shortText } from '../failure/error-body.ts';
import { filledText, firstField } from '../../json.ts';
import type { ResponseHeaders } from './transport.ts';

/** The headers in which services send the id of a request, in the order of their precedence. */
const requestIdHeaders = [
  'x-request-id',
  'request-id',
  'x-correlation-id',
  'correlation-id',
  'x-trace-id',
  'x-amzn-requestid',
  'x-ms-request-id',
];

/** Reads the id of the request in the service's logs from the first of the usual headers that is present. */
export function requestIdOf(headers: ResponseHeaders, mask: Mask): string | undefined {
  const id = firstField([headers], requestIdHeaders, filledText);
  return id && shortText(id, mask);
}

/**
 * Reads the milliseconds to wait from `retry-after-ms`, else `Retry-After` (seconds, fractions too, or an HTTP-date,
 * RFC 9110 sections 10.2.3 and 5.6.7). Can be Infinity. Undefined when absent, unreadable or past.
 */
export function retryAfter(headers: ResponseHeaders, now: Date): number | undefined {
  const milliseconds = parseDecimal(String(headers['retry-after-ms']));
  if (milliseconds !== undefined) return milliseconds;
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const seconds = parseDecimal(text);
  if (seconds !== undefined) return seconds * 1000;
  // An HTTP-date is always in GMT, also in the form that does not say so.
  const isDate = /^[a-z]{3}.*\d\d:\d\d:\d\d/i.test(text.trim());
  const wait = Date.parse(`${text.trim().replace(/ GMT$/, '')} GMT`) - now.getTime();
  return isDate && wait >= 0 ? wait : undefined;
}

function parseDecimal(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^infinity$/i.test(trimmed)) return Infinity;
  return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : undefined;
}
