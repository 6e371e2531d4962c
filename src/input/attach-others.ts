import { findFiles, isPattern, matchFiles, type FoundFiles } from './find-files.ts';
import { lookUpAddresses } from './fetch-page.ts';
import { readTexts } from './read-texts.ts';
import { nodeNetwork } from '../client/http/node-network.ts';
import type { AttachedFile } from '../conversation/compose-prompt.ts';
import { Failure } from '../failure.ts';
import { countOf, tokenText } from '../output/figures.ts';
import { failureReason } from '../storage/storage-failure.ts';
import { type AttachOptions, isEntry } from './attach-files.ts';

/** `src: 12 files, ~3,400 tokens; skipped 2 binary files, 1 link`. */
function describe(
  name: string,
  { links }: FoundFiles,
  texts: Awaited<ReturnType<typeof readTexts>>,
): string {
  const { files, tokens, binary, undecodable } = texts;
  const skipped = [
    binary > 0 ? countOf(binary, 'binary file') : '',
    undecodable.length > 0
      ? `${countOf(undecodable.length, 'file')} in a different encoding (${undecodable[0]})`
      : '',
    links > 0 ? countOf(links, 'link') : '',
  ].filter((part) => part !== '');
  const ending = skipped.length === 0 ? '' : `; skipped ${skipped.join(', ')}`;
  return `${name}: ${countOf(files.length, 'file')}, ${tokenText(tokens, true)}${ending}`;
}

const unmatchedHint =
  'hidden files, and files that .gitignore excludes, are attached only by their own names';

async function attachFound(
  name: string,
  find: () => Promise<FoundFiles>,
  options: AttachOptions,
): Promise<readonly AttachedFile[]> {
  try {
    const found = await find();
    const texts = await readTexts(found.names, options);
    const summary = describe(name, found, texts);
    if (texts.files.length === 0) {
      const hint = found.names.length + found.links === 0 ? unmatchedHint : summary;
      throw new Failure('usage', 'no text files found', { hint });
    }
    options.notices.notice(`attached ${summary}`);
    return texts.files;
  } catch (error) {
    options.signal.throwIfAborted();
    const { message, hint } =
      error instanceof Failure ? error : { message: failureReason(error), hint: undefined };
    throw new Failure('usage', `cannot attach ${name}: ${message}`, {
      ...(hint !== undefined && { hint }),
      cause: error,
    });
  }
}

async function attachPage(
  name: string,
  { context, signal }: AttachOptions,
): Promise<readonly AttachedFile[]> {
  const { fetchPage } = await import('./fetch-page.ts');
  const { environment, clock, version } = context;
  const page = await fetchPage(name, {
    network: nodeNetwork,
    environment,
    clock,
    lookUp: lookUpAddresses,
    userAgent: `natter/${version}`,
    signal,
  });
  return [page];
}

/** The attachments of a name that is not a file: a URL, a folder or a pattern; undefined for any other name. */
export async function attachOthers(
  name: string,
  options: AttachOptions,
): Promise<readonly AttachedFile[] | undefined> {
  const { signal } = options;
  if (/^https?:\/\//i.test(name)) return attachPage(name, options);
  if (await isEntry(name, 'isDirectory'))
    return attachFound(name, () => findFiles(name, { signal }), options);
  if (isPattern(name)) return attachFound(name, () => matchFiles(name, signal), options);
  return undefined;
}
