import path from 'node:path';
import { Failure } from '../../failure.ts';
import { entryAt, isFile, fileOf, namesIn } from '../../prompt-files/library/find-prompt.ts';
import { readUser } from '../../prompt-files/library/load-prompt.ts';
import { parsePromptFile } from '../../prompt-files/parse-prompt-file.ts';
import { placeText, type SourceFile } from '../../prompt-files/place.ts';
import { partsOf } from '../../prompt-files/prompt-file.ts';
import { placeholdersOf } from '../../prompt-files/template.ts';
import { present, type Context, type GlobalOptions } from '../../run.ts';
import { printTable } from '../../output/print-data.ts';
import type { AttachOptions } from '../../input/attach-files.ts';
import { readTextFile, promptPlaces } from '../../input/load-prompt-file.ts';
import { checkNewName, createPromptFile, newPath } from './run.ts';

export interface ImportOptions extends GlobalOptions {
  readonly name?: string;
  readonly project?: boolean;
  readonly force?: boolean;
}

/** A file to import, and the name of its prompt. */
interface ImportSource {
  readonly name: string;
  readonly file: SourceFile;
}

/** The name of a single file; a fabric pattern has that of its folder. */
function nameOfFile(file: string): string {
  const base = path.basename(file);
  const isPattern = base.toLowerCase() === 'system.md';
  return isPattern ? path.basename(path.dirname(file)) : base.replace(/\.(?:prompt\.)?[^.]+$/, '');
}

/**
 * The prompt files of a path: a file, a fabric pattern, or all that a folder contains.
 * @param shown the path as typed
 * @throws Failure `not_found` for a path that does not exist, or a folder without prompt files
 */
function findSources(target: string, shown: string): readonly ImportSource[] {
  const entry = entryAt(target);
  if (entry === undefined)
    throw new Failure('not_found', `there is no file or folder ${shown}`, {
      hint: 'name a prompt file, or a folder of them: ‹natter prompts import --help›',
    });
  if (!entry.isDirectory()) {
    return [{ name: nameOfFile(target), file: { name: shown, path: target } }];
  }
  const pattern = path.join(target, 'system.md');
  if (isFile(pattern)) {
    const file = { name: path.join(shown, 'system.md'), path: pattern };
    return [{ name: nameOfFile(pattern), file }];
  }
  const found = namesIn(target).flatMap((name) => {
    const file = fileOf(target, name);
    if (file === undefined) return [];
    return [{ name, file: { name: path.join(shown, path.relative(target, file)), path: file } }];
  });
  if (found.length > 0) return found;
  throw new Failure('not_found', `${shown} contains no prompt files`, {
    hint: 'prompt files are .md and .yaml files, and folders with system.md',
  });
}

/** Names of files may have characters that are not allowed in the names of prompts. */
const nameOf = (name: string) =>
  name.replaceAll(/[^\w./-]+/g, '-').replaceAll(/(?<=^|\/)[-._]+/g, '') || 'prompt';

async function importOne(
  context: Context,
  attach: AttachOptions,
  options: ImportOptions,
  source: ImportSource,
): Promise<readonly [name: string, file: string]> {
  const name = options.name ?? nameOf(source.name);
  checkNewName(context, name);
  const read = (file: SourceFile) => readTextFile(attach, file);
  const user = await readUser(source.file, read);
  const content = await read(source.file);
  const prompt = await parsePromptFile({ file: source.file, content }, user);
  const file = newPath(context, name, options.project === true);
  const { promptMarkdown } = await import('../../prompt-files/write-markdown.ts');
  createPromptFile(file, promptMarkdown(prompt), options.project === true, options.force === true);
  for (const notice of prompt.notices) attach.notices.notice(notice);
  for (const { name: reference, place } of placeholdersOf(partsOf(prompt), 'file', 'include')) {
    const text = `${placeText(place)}: ${reference} is not copied; its path may be wrong now`;
    attach.notices.notice(text);
  }
  return [name, file];
}

/** Runs `natter prompts import`. @throws Failure if one of the files cannot be imported; the others are */
export async function importPromptFiles(
  context: Context,
  options: ImportOptions,
  names: readonly string[],
): Promise<void> {
  const presentation = await present(context, options);
  const { notices } = presentation;
  const { directory } = promptPlaces(context);
  const sources = names.flatMap((name) => findSources(path.resolve(directory, name), name));
  const total = sources.length;
  if (options.name !== undefined && total !== 1) {
    throw new Failure('usage', `--name is for one prompt file, not for ${total}`, {
      hint: 'omit it, and each keeps its name',
    });
  }
  const attach = { context, notices, signal: context.signal };
  const rows: (readonly string[])[] = [];
  const problems: Failure[] = [];
  for (const source of sources) {
    try {
      rows.push(await importOne(context, attach, options, source));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      problems.push(error);
    }
  }
  if (rows.length > 0) await printTable(context, presentation, ['NAME', 'FILE'], rows);
  const [first] = problems;
  if (first === undefined) return;
  if (total === 1) throw first;
  for (const { message } of problems) notices.warning(message);
  throw new Failure('usage', `${problems.length} of ${total} prompt files were not imported`, {
    hint: '--force replaces existing prompt files',
  });
}
