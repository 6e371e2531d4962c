import { findFiles, matchFiles, type FoundFiles } from './find-files.ts';
import { fetchPage } from './fetch-page.ts';
import type { AttachedFile } from '../conversation/compose-prompt.ts';
import { Failure } from '../failure.ts';
import { count, countOf, tokenText } from '../output/figures.ts';
import { isFolder } from '../storage/files.ts';
import { failureReason } from '../storage/storage-failure.ts';
import { type AttachOptions, isAddress } from './attach-files.ts';
import { readFile, stat } from 'node:fs/promises';
import { largestPromptBytes } from '../conversation/context-fit.ts';
import { decodeText } from '../conversation/decode-text.ts';
import { estimateTokens } from '../conversation/token-estimate.ts';

/** Whether bytes are not text in any encoding: NUL is in no text but UTF-16, which has a byte order mark. */
function isBinary(bytes: Uint8Array, encoding: string | undefined): boolean {
  const [first = 0, second = 0] = bytes;
  const hasMark = Math.min(first, second) === 0xfe && Math.max(first, second) === 0xff;
  const isUtf16 = encoding?.toLowerCase().startsWith('utf-16') === true || hasMark;
  return !isUtf16 && bytes.includes(0);
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
async function readTexts(names: readonly string[], { encoding, lossy, signal }: AttachOptions) {
  const files: AttachedFile[] = [];
  const undecodable: string[] = [];
  let [tokens, binary] = [0, 0];
  await checkSizes(names);
  for (const name of names) {
    const bytes = await readFile(name, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new Failure('usage', `${name}: ${failureReason(error)}`, { cause: error });
    });
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
  return { files, tokens, binary, undecodable };
}

/** `src: 12 files, ~3,400 tokens; skipped 2 binary files, 1 link`. */
function describe(
  name: string,
  { links }: FoundFiles,
  { files, tokens, binary, undecodable }: Awaited<ReturnType<typeof readTexts>>,
): string {
  const encoded = `${countOf(undecodable.length, 'file')} in a different encoding (${undecodable[0]})`;
  const skipped = [
    binary > 0 && countOf(binary, 'binary file'),
    undecodable.length > 0 && encoded,
    links > 0 && countOf(links, 'link'),
  ].filter((part) => part !== false);
  const ending = skipped.length === 0 ? '' : `; skipped ${skipped.join(', ')}`;
  return `${name}: ${countOf(files.length, 'file')}, ${tokenText(tokens, true)}${ending}`;
}

const unmatchedHint =
  'hidden files, and files that .gitignore excludes, are attached only by their own names';

/** The attachments of a name that is not a file: a URL, a folder or a pattern. */
export async function attachOthers(
  name: string,
  options: AttachOptions,
): Promise<readonly AttachedFile[]> {
  if (isAddress(name)) return [await fetchPage(name, options)];
  const find = isFolder(name) ? findFiles : matchFiles;
  const found = await find(name, options.signal);
  const texts = await readTexts(found.names, options);
  const summary = describe(name, found, texts);
  if (texts.files.length === 0) {
    const hint = found.names.length + found.links === 0 ? unmatchedHint : summary;
    throw new Failure('usage', 'no text files found', { hint });
  }
  options.notices.notice(`attached ${summary}`);
  return texts.files;
}
