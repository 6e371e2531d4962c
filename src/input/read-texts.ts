import { readFile, stat } from 'node:fs/promises';
import type { AttachedFile } from '../conversation/compose-prompt.ts';
import { largestPromptBytes } from '../conversation/context-fit.ts';
import { decodeText } from '../conversation/decode-text.ts';
import { estimateTokens } from '../conversation/token-estimate.ts';
import { Failure } from '../failure.ts';
import { failureReason } from '../storage/storage-failure.ts';

export interface ReadOptions {
  /** A WHATWG encoding label. */
  readonly encoding?: string | undefined;
  readonly lossy?: boolean | undefined;
  readonly signal: AbortSignal;
}

const count = (value: number) => value.toLocaleString('en-US');

function hasByteOrderMark(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/** Whether bytes are not text in any encoding: NUL is in no text but UTF-16. */
function isBinary(bytes: Uint8Array, encoding: string | undefined): boolean {
  if (encoding?.toLowerCase().startsWith('utf-16') === true || hasByteOrderMark(bytes))
    return false;
  return bytes.includes(0);
}

/** @throws Failure `usage` if the files together exceed every context window */
async function checkSizes(names: readonly string[]): Promise<void> {
  let bytes = 0;
  for (const name of names) bytes += (await stat(name)).size;
  if (bytes <= largestPromptBytes) return;
  throw new Failure(
    'usage',
    `its ${count(names.length)} files have ${count(bytes)} bytes, which exceeds every context window`,
    { hint: 'attach fewer files, for example with a pattern in quotes: -f "docs/*.md"' },
  );
}

/** Reads text files; binary ones, and those in a different encoding, are counted. @throws Failure `usage` */
export async function readTexts(
  names: readonly string[],
  { encoding, lossy, signal }: ReadOptions,
) {
  const files: AttachedFile[] = [];
  const undecodable: string[] = [];
  let [tokens, binary] = [0, 0];
  let name = '';
  try {
    await checkSizes(names);
    for (name of names) {
      const bytes = await readFile(name, { signal });
      if (isBinary(bytes, encoding)) {
        binary += 1;
        continue;
      }
      try {
        const content = decodeText(bytes, { source: name, encoding, lossy });
        files.push({ name, content });
        tokens += estimateTokens(content);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        undecodable.push(name);
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Failure) throw error;
    throw new Failure('usage', `${name}: ${failureReason(error)}`, { cause: error });
  }
  return { files, tokens, binary, undecodable };
}
