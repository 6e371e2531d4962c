import { createReadStream } from 'node:fs';
import type { AttachedFile } from '../conversation/compose-prompt.ts';
import { largestPromptBytes } from '../conversation/context-fit.ts';
import { decodeText } from '../conversation/decode-text.ts';
import { rephrase } from '../client/failure/change-failure.ts';
import { Failure } from '../failure.ts';
import { toFailure } from '../output/ending-failure.ts';
import { maskUrl } from '../secrets/mask.ts';
import type { Notices } from '../output/notices.ts';
import type { Context } from '../run.ts';
import { entryAt, isFile, isFolder } from '../storage/files.ts';
import { errorCode, failureReason } from '../storage/storage-failure.ts';

/** Whether a name is attached as a page. */
export const isAddress = (name: string): boolean => /^https?:\/\//i.test(name);

export interface AttachOptions {
  /** A WHATWG encoding label. */
  readonly encoding?: string | undefined;
  readonly lossy?: boolean | undefined;
  readonly signal: AbortSignal;
  /** The context is needed for URLs. */
  readonly context: Context;
  /** Gets the number of files of a folder or a pattern. */
  readonly notices: Notices;
}

/** The bytes of a stream. @param refuse makes the failure for more than `limit` bytes */
export async function collectBytes(
  stream: AsyncIterable<Uint8Array>,
  limit: number,
  refuse: () => Failure,
  onBytes?: () => void,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    onBytes?.();
    size += chunk.length;
    if (size > limit) throw refuse();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** Reads in pieces, because a pipe, such as `<(command)`, and a device have no size to check first. */
export function readBytes(name: string, signal: AbortSignal): Promise<Uint8Array> {
  const stream = createReadStream(name, { signal }) as AsyncIterable<Uint8Array>;
  const refuse = () => new Failure('usage', 'it exceeds every context window');
  return collectBytes(stream, largestPromptBytes, refuse);
}

/** Whether a name has characters of a pattern: `*`, `?`, `[…]`, `{a,b}`. */
const isPattern = (name: string): boolean => /[*?]|\[.+\]|\{.+\}/.test(name);

/** The files of one name: itself, or those of a folder, a pattern or a URL. */
async function filesOf(name: string, options: AttachOptions): Promise<readonly AttachedFile[]> {
  const isUnmatched = isPattern(name) && entryAt(name) === undefined;
  if (isAddress(name) || isFolder(name) || isUnmatched) {
    const { attachOthers } = await import('./attach-others.ts');
    return attachOthers(name, options);
  }
  const bytes = await readBytes(name, options.signal);
  return [{ name, content: decodeText(bytes, { ...options, source: 'it' }) }];
}

/** @throws Failure with the name of the file */
async function attach(name: string, options: AttachOptions): Promise<readonly AttachedFile[]> {
  try {
    return await filesOf(name, options);
  } catch (error) {
    options.signal.throwIfAborted();
    const isOfSystem = errorCode(error) !== undefined && !(error instanceof Failure);
    const isList = name.includes(',') && !isPattern(name) && entryAt(name) === undefined;
    const hint = isList ? '-f takes one file; repeat it for each file' : undefined;
    const failure = isOfSystem
      ? new Failure('usage', failureReason(error), { hint })
      : toFailure(error);
    const shown = isAddress(name) ? maskUrl(name) : name;
    const message = `cannot attach ${shown}: ${failure.message}`;
    // Its remedy is for the service, which is not what failed.
    throw rephrase(failure, { message, cause: error, remedy: undefined });
  }
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
      const message = 'standard input cannot be attached to a conversation on a terminal';
      throw new Failure('usage', message, { hint: 'name a file (./- for a file called -)' });
    }
    files.push(...(await attach(name, options)));
  }
  return files;
}

/**
 * Refuses a prompt word that names a file beside `--file`: the shell has expanded `-f *.md` into several words, of which
 * only the first is attached.
 * @throws Failure `usage`
 */
export function refuseUnattached(words: readonly string[]): void {
  const word = words.find(isFile);
  if (word === undefined) return;
  const message = `${word} is a file, but --file takes only one, so it is not attached`;
  throw new Failure('usage', message, {
    hint: 'repeat -f for each file, or quote the pattern; if the word belongs to the prompt, quote the whole prompt',
  });
}

/** The files that are words of the command line, or that a conversation would attach: `@notes.md`. */
export function mentionedFiles(words: readonly string[]): readonly string[] {
  const mentions = words.join(' ').match(/(?<=(?:^|\s)@)\S+/g) ?? [];
  return [...new Set([...words, ...mentions])].filter(isFile);
}
