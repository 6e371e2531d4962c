import type { HttpRequest } from '../client/transport.ts';
import type { RecordedRequest } from './format.ts';

/** A JSON value with its texts masked, names of fields too. */
function maskValue(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((one) => maskValue(one, mask));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, one]) => [mask(name), maskValue(one, mask)]);
  return Object.fromEntries(fields) as unknown;
}

/** What is recorded of a request, and compared: no header of it, and no part of the address before `/v1/`. */
export function describeRequest(
  { method, url, body }: HttpRequest,
  mask: (text: string) => string,
): RecordedRequest {
  const path = mask(url.pathname.slice(Math.max(0, url.pathname.lastIndexOf('/v1/'))));
  if (body === undefined) return { method, path };
  const value: unknown = JSON.parse(Buffer.from(body).toString());
  return { method, path, body: maskValue(value, mask) };
}
