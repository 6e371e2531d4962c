import { Failure } from '../../failure.ts';
import type { Context } from '../program/context.ts';

/** Bytes; a command line is shorter. */
const maxInput = 64 * 1024;

/** Standard input as text. @throws Failure `usage` for a terminal, and for a long text */
export async function readInput({ streams, signal }: Context): Promise<string> {
  if (streams.stdin.isTerminal) {
    throw new Failure('usage', 'the text is expected on standard input', {
      hint: 'echo "list the largest files" | natter shell-init bash --suggest',
    });
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of streams.stdin.bytes(signal)) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > maxInput) throw new Failure('usage', 'the text is longer than 64 KB');
  }
  return Buffer.concat(chunks).toString();
}
