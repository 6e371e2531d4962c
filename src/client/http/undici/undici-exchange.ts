import type { Connections } from './connections.ts';
import { ResponseHandler } from './response-handler.ts';
import type { HttpRequest, HttpResponse } from '../transport.ts';

export { openConnections } from './connections.ts';

/**
 * Sends one request and resolves with the response's head. Redirects are not followed.
 * @throws RequestFailure; or the signal's reason when it aborts, now or while the body is read.
 */
export function sendOver(
  { method, url, headers, body }: HttpRequest,
  connections: Connections,
  signal: AbortSignal,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const connection = connections.take();
    const request = {
      path: connections.target(url),
      method,
      headers: connections.withHeaders(headers),
      body: body ?? null,
    };
    const pending = { connections, signal, resolve, reject };
    connection.client.dispatch(request, new ResponseHandler(pending, connection));
  });
}
