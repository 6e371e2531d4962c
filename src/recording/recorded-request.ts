import type { HttpRequest } from '../client/http/transport.ts';
import { maskValue } from '../secrecy/mask-value.ts';
import type { RecordedRequest } from './format.ts';

/** What is recorded of a request, and compared: no header of it, and no part of the address before `/v1/`. */
export function describeRequest(
  { method, url, body }: HttpRequest,
  mask: (text: string) => string = (text) => text,
): RecordedRequest {
  const path = mask(url.pathname.slice(Math.max(0, url.pathname.lastIndexOf('/v1/'))));
  if (body === undefined) return { method, path };
  const value: unknown = JSON.parse(Buffer.from(body).toString());
  return { method, path, body: maskValue(value, mask) };
}
