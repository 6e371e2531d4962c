import { startTimer, type Clock } from '../../clock.ts';
import { preparePageTitle } from '../failure/error-body.ts';
import { isRedirect, redirectFailure, serviceFailure } from '../failure/service-failure.ts';
import { RequestFailure } from '../failure/request-failure.ts';
import type { Connection } from '../configuration.ts';
import type { HttpRequest, HttpResponse } from './transport.ts';

/** Bytes. */
const maxErrorBody = 64 * 1024;
/** Milliseconds. */
const errorBodyTimeout = 2_000;

const isEmpty = (status: number) => status === 204 || status === 205;

/** Resolves on a 2xx with content to come. @throws RequestFailure; or the signal's reason when it aborts. */
export async function requireAccepted(
  request: HttpRequest,
  response: HttpResponse,
  service: Connection,
  signal: AbortSignal,
): Promise<void> {
  const { status } = response;
  if (status >= 200 && status < 300 && !isEmpty(status)) return;
  throw await refusal(request, response, service, signal);
}

async function refusal(
  request: HttpRequest,
  response: HttpResponse,
  { limits, mask }: Connection,
  signal: AbortSignal,
): Promise<RequestFailure> {
  const { status, headers } = response;
  if (isEmpty(status)) {
    return discard(
      response,
      new RequestFailure('server_error', `the service sent no content (${status})`, {
        transient: false,
        status,
        remedy: { code: 'check-base-url' },
      }),
    );
  }
  if (isRedirect(status)) {
    return discard(response, redirectFailure(status, headers.location, request.url));
  }
  const now = limits.clock.date();
  const text = await readErrorText(response, limits.clock);
  signal.throwIfAborted();
  return serviceFailure({ status, headers, text }, now, request, mask);
}

function discard(response: HttpResponse, failure: RequestFailure): RequestFailure {
  response.destroy(failure);
  return failure;
}

/** The start of an error's body; a slow, endless or broken body does not delay the failure. */
async function readErrorText(response: HttpResponse, clock: Clock): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const timedOut = new Error('the error body took too long');
  const stop = startTimer(clock, errorBodyTimeout, () => response.destroy(timedOut));
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size >= maxErrorBody) break;
    }
  } catch {
    // The status already decides the failure; the text read so far is enough.
  } finally {
    stop();
  }
  const text = Buffer.concat(chunks).subarray(0, maxErrorBody).toString();
  await preparePageTitle(text);
  return text;
}
