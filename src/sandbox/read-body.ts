import type { IncomingMessage } from 'node:http';
import { Failure } from '../failure.ts';

/** The contract states no maximum request size; this is several times what fits the larger window. */
const largestBody = 32 * 1024 * 1024;

/** Reads a request's body whole. @throws Failure `invalid_request` when it is over 32 MiB */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // What is over the limit is read and dropped: a client still sending would never see the answer.
    if (size <= largestBody) chunks.push(chunk);
  }
  if (size > largestBody) {
    throw new Failure('invalid_request', `the request body is ${size} bytes, over ${largestBody}`);
  }
  return Buffer.concat(chunks);
}

/** A body as JSON, or why it is none. */
export type ParsedBody = { readonly value: unknown } | { readonly problem: string };

/** Never throws: what is wrong with a body matters only once the request is otherwise acceptable. */
export function parseBody(bytes: Buffer): ParsedBody {
  if (bytes.length === 0) return { problem: 'the request body is empty' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'it is not UTF-8';
    return { problem: `the request body is malformed JSON: ${reason}` };
  }
}
