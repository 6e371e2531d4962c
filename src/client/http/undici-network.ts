import { callbackify } from 'node:util';
import { Agent, errors } from 'undici';
import { Failure } from '../../failure.ts';
import { createConnector } from './connector.ts';
import { type Open, sendWith } from './exchange.ts';
import type { OpenNetwork, ResponseHeaders } from './transport.ts';

/** The codes of undici for a request that it refuses to send. */
const unsendable = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);

/** Sends requests with undici. */
export const undiciNetwork: OpenNetwork = (route, limits, clock) => {
  const connector = createConnector(route, clock, limits.connectTimeout);
  const connect = callbackify(connector.open);
  const agent = new Agent({
    connect: (_target, callback) =>
      connect((error, socket) => (error === null ? callback(null, socket) : callback(error, null))),
    // natter has its own time limits.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const open: Open = async ({ method, url, headers, body = null }, signal) => {
    try {
      const response = await agent.request({
        origin: route.server.origin,
        path: route.path(url),
        method,
        headers: { ...route.headers, ...headers },
        body,
        signal,
      });
      const { statusCode: status } = response;
      return { status, headers: joinHeaders(response.headers), body: response.body };
    } catch (error) {
      if (!(error instanceof errors.UndiciError) || !unsendable.has(error.code)) throw error;
      throw new Failure('configuration', `the request cannot be sent: ${error.message}`, {
        cause: error,
      });
    }
  };
  return {
    send: sendWith(open, route, limits, clock),
    close() {
      void agent.destroy();
      connector.close();
    },
  };
};

type Headers = Record<string, string | string[] | undefined>;

/** The first of several counts for these headers, as in Node; others are joined. */
const single: ReadonlySet<string> = new Set(['content-type', 'location', 'retry-after']);

function joinHeaders(headers: Headers): ResponseHeaders {
  const joined: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    const isJoined = Array.isArray(value) && name !== 'set-cookie';
    joined[name] = isJoined ? (single.has(name) ? value[0] : value.join(', ')) : value;
  }
  return joined;
}
