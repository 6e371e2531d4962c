import { maskRemedy } from '../client/failure/request-failure.ts';
import { parseUrl } from '../client/http/base-url.ts';
import type { HttpResponse } from '../client/http/transport.ts';
import type { Clock } from '../clock.ts';
import { Failure } from '../failure.ts';
import type { SecretFilter } from '../secrecy/secret-filter.ts';
import { isSecretHeader } from '../secrecy/secret-parts.ts';
import { bytesEvent, type ResponseEvent, type RecordedHeaders } from './format.ts';
import { createSecretAnswer } from './secret-answer.ts';
import { createSecretBytes, type Piece, type SecretPieces } from './secret-bytes.ts';

export interface ExchangeWriterOptions {
  readonly write: (event: ResponseEvent, at: number) => void;
  readonly clock: Clock;
  /** Undefined without secrets. */
  readonly filter: SecretFilter | undefined;
}

export interface ExchangeWriter {
  response(response: HttpResponse, url: URL): void;
  bytes(bytes: Uint8Array): void;
  /** The body ended. */
  end(): void;
  /** Something was thrown instead of a response, or of the rest of it. */
  failed(error: unknown): void;
  /** The reader stopped. Does nothing after an end. */
  stopped(): void;
}

/** They describe the transfer of the body, which is recorded decoded. */
const transferHeaders = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'transfer-encoding',
]);

/** Absolute, because a replay has no base URL; without the query, which may have a token. */
function addressOf(location: string, base: URL): string {
  const target = parseUrl(location, base);
  if (target === undefined) return location;
  return `${target.protocol}//${target.host}${target.pathname}`;
}

function recordHeaders(
  { headers }: HttpResponse,
  url: URL,
  mask: (text: string) => string,
): RecordedHeaders {
  const recorded: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || transferHeaders.has(name) || isSecretHeader(name)) continue;
    const recordedValue = name === 'location' ? addressOf(String(value), url) : value;
    recorded[mask(name)] =
      typeof recordedValue === 'string' ? mask(recordedValue) : recordedValue.map(mask);
  }
  return recorded;
}

function failureEvent(error: Failure, mask: (text: string) => string): ResponseEvent {
  const { kind, message, hint, remedy } = error;
  const transient = 'transient' in error && error.transient === true;
  const text = { message: mask(message), ...(hint !== undefined && { hint: mask(hint) }) };
  const help = remedy === undefined ? {} : { remedy: maskRemedy(remedy, mask) };
  return { type: 'failure', kind, ...text, ...help, transient };
}

interface TimedPiece extends Piece {
  /** Milliseconds since the request. */
  readonly at: number;
}

/** Masks the bytes first, then the texts that an answer spreads over several events. */
function createSecretPieces(filter: SecretFilter | undefined): SecretPieces<TimedPiece> {
  if (filter === undefined) return { take: (piece) => [piece], end: () => [] };
  const bytes = createSecretBytes<TimedPiece>(filter.mask);
  const answer = createSecretAnswer<TimedPiece>(filter);
  return {
    take: (piece) => bytes.take(piece).flatMap((one) => answer.take(one)),
    end: () => [...bytes.end().flatMap((one) => answer.take(one)), ...answer.end()],
  };
}

/** `write` gets each event with the milliseconds since this call. */
export function createExchangeWriter({
  write,
  clock,
  filter,
}: ExchangeWriterOptions): ExchangeWriter {
  const mask = filter?.mask ?? ((text: string) => text);
  const start = clock.monotonic();
  const elapsed = () => Math.round(clock.monotonic() - start);
  const secrets = createSecretPieces(filter);
  let hasEnded = false;
  const end = (event: ResponseEvent) => {
    if (hasEnded) return;
    hasEnded = true;
    for (const { at, bytes } of secrets.end()) write(bytesEvent(bytes), at);
    write(event, elapsed());
  };
  return {
    response(response, url) {
      const headers = recordHeaders(response, url, mask);
      write({ type: 'response', status: response.status, headers }, elapsed());
    },
    bytes(bytes) {
      for (const piece of secrets.take({ at: elapsed(), bytes })) {
        write(bytesEvent(piece.bytes), piece.at);
      }
    },
    end: () => end({ type: 'end' }),
    // Any other error is an interruption, or is from a reader that stopped.
    failed: (error) =>
      end(error instanceof Failure ? failureEvent(error, mask) : { type: 'stopped' }),
    stopped: () => end({ type: 'stopped' }),
  };
}
