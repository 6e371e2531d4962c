import { type Mask, shortText, unmasked } from '../failure/short-text.ts';
import type { ResponseHeaders } from './transport.ts';

const names = [
  'x-request-id',
  'request-id',
  'x-correlation-id',
  'correlation-id',
  'x-trace-id',
  'x-amzn-requestid',
  'x-ms-request-id',
];

/** The id by which a service finds a request in its logs, from the first of the usual headers that is there. */
export function requestIdOf(headers: ResponseHeaders, mask: Mask = unmasked): string | undefined {
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string' && value.trim() !== '') return shortText(value, mask);
  }
  return undefined;
}
