import { createReadStream } from 'node:fs';
import { largestPromptBytes } from '../../conversation/context-fit.ts';
import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import { decodeText } from '../../conversation/decode-text.ts';
import { Failure, type FailureOptions } from '../../failure.ts';
import type { Notices } from '../../output/notices.ts';
import { failureReason } from '../../storage/storage-failure.ts';
import type { Context } from '../../run.ts';
import { hintForName } from './file-names.ts';

export interface AttachOptions {
  readonly encoding?: string | undefined;
  readonly lossy?: boolean | undefined;
  readonly signal: AbortSignal;
  /** For URLs. */
  readonly context: Context;
  /** Gets the number of files of a folder or a pattern. */
  readonly notices: Notices;
}

function cannotAttach(name: string, reason: string, others: FailureOptions = {}): Failure {
  return new Failure('usage', `cannot attach ${name}: ${reason}`, others);
}

/** Reads in pieces, because a pipe, such as `<(command)`, and a device have no size to check first. */
export async function readBytes(name: string, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const piece of createReadStream(name, { signal })) {
    const chunk = piece as Uint8Array;
    size += chunk.length;
    if (size > largestPromptBytes) throw cannotAttach(name, 'it exceeds every context window');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** The files of one name: itself, or those of a folder, a pattern or a URL. */
async function attach(name: string, options: AttachOptions): Promise<readonly AttachedFile[]> {
  let bytes: Uint8Array;
  try {
    bytes = await readBytes(name, options.signal);
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof Failure) throw error;
    const { attachOthers } = await import('./attach-others.ts');
    const others = await attachOthers(name, options);
    if (others !== undefined) return others;
    const hint = await hintForName(name);
    throw cannotAttach(name, failureReason(error), {
      cause: error,
      ...(hint !== undefined && { hint }),
    });
  }
  return [{ name, content: decodeText(bytes, { ...options, source: name }) }];
}

/**
 * Reads the files of `--file`, in order.
 * @throws Failure with the name of the file and the problem; or the signal's reason
 */
export async function attachFiles(
  names: readonly string[],
  options: AttachOptions,
): Promise<readonly AttachedFile[]> {
  const files: AttachedFile[] = [];
  // One after the other: memory has the bytes of one file only, and the first bad file is reported.
  for (const name of names) {
    if (name === '') throw new Failure('usage', '--file needs the path of a file');
    if (name === '-') {
      throw new Failure(
        'usage',
        'standard input cannot be attached to a conversation on a terminal',
        { hint: 'name a file (./- for a file called -)' },
      );
    }
    files.push(...(await attach(name, options)));
  }
  return files;
}
