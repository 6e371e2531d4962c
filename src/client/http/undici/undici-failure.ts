import { networkFailure, type Stage } from '../../failure/network-failure.ts';
import { RequestFailure } from '../../failure/request-failure.ts';
import type { Route } from '../route.ts';

/** The code of undici's parser for a response, which reports only a text, as `node:http` has it. */
function parserCode(message: string): string {
  if (message.includes('Invalid EOF state')) return 'ECONNRESET';
  return message.includes('Expected HTTP/') ? 'HPE_INVALID_CONSTANT' : 'HPE_INVALID_RESPONSE';
}

/** The code that `node:http` reports for the same problem; a connection that was cut is `ECONNRESET` there. */
function nodeCode({ name, message, code = '' }: NodeJS.ErrnoException): string {
  if (name === 'HTTPParserError') return parserCode(message);
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'HPE_HEADER_OVERFLOW';
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') return code;
  return code.startsWith('UND_ERR_') ? 'ECONNRESET' : code;
}

/** The failure of a request that undici reports as `error`; natter's own failures unchanged. */
export function undiciFailure(error: unknown, stage: Stage, route: Route): RequestFailure {
  if (error instanceof RequestFailure || !(error instanceof Error)) {
    return error instanceof RequestFailure ? error : networkFailure(error, stage, route);
  }
  const code = nodeCode(error);
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') {
    return new RequestFailure('configuration', `the request cannot be sent: ${error.message}`, {
      transient: false,
      cause: error,
    });
  }
  if (code === ('code' in error ? error.code : '')) return networkFailure(error, stage, route);
  // Not with `error` as its cause, because the errors of undici's parser contain the response.
  return networkFailure(Object.assign(new Error(error.message), { code }), stage, route);
}
