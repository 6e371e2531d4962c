import { acceptedResponse } from '../http/accepted-response.ts';
import { Failure } from '../../failure.ts';
import { isTooDeep, jsonProblem } from '../../json.ts';
import { malformed, silence } from '../failure/answer-failure.ts';
import { RequestFailure } from '../failure/request-failure.ts';
import type { ConnectedService } from '../connected-service.ts';
import { watchIdle } from '../http/timer.ts';
import type { HttpResponse } from '../http/transport.ts';

const longestBody = 16 * 1024 * 1024;

/**
 * Reads the JSON value at `path`, counted from `/v1/`.
 * @throws RequestFailure; or the signal's reason when it aborts.
 */
export async function requestJson(
  path: string,
  service: ConnectedService,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await acceptedResponse(service.request(path), service, signal);
  const text = await readText(response, service);
  // Model records are printed whole, and deep nesting overflows the stack.
  if (isTooDeep(text)) {
    throw new Failure('server_error', `the service's answer to ${path} ${jsonProblem(text)}`);
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // The parser's own message quotes the body, which may be a whole page.
    if (/^\s*[[{]/.test(text)) {
      throw malformed(`the service's answer to ${path} is malformed JSON`, text.length);
    }
    throw new Failure('server_error', `the service's answer to ${path} is not JSON`, {
      remedy: { code: 'check-base-url' },
    });
  }
}

async function readText(
  response: HttpResponse,
  { idleTimeout, limits }: ConnectedService,
): Promise<string> {
  const watch = watchIdle(limits.clock, idleTimeout, () => response.destroy(silence(idleTimeout)));
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body) {
      watch.touch();
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > longestBody) {
        throw new RequestFailure('server_error', 'the answer is longer than 16 MB', {
          transient: false,
        });
      }
    }
  } finally {
    watch.stop();
  }
  return Buffer.concat(chunks).toString();
}
