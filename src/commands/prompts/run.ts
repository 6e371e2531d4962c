import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import {
  isPromptName,
  newProjectFolder,
  findPrompt,
  listPrompts,
} from '../../prompt-files/library/find-prompt.ts';
import { editFile } from '../../repl/shell/external-editor.ts';
import { present, type Context, type GlobalOptions, type JsonOptions } from '../../run.ts';
import { refuseReservedName } from '../../storage/file-name.ts';
import { makePrivateFolder, replaceContent } from '../../storage/files.ts';
import { errorCode, storageFailure } from '../../storage/storage-failure.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { printMarkdown } from '../../output/answer-output.ts';
import { printTable, printJson } from '../../output/print-data.ts';
import { loadPromptFile, readTextFile, promptPlaces } from '../../input/load-prompt-file.ts';
import {
  promptDocument,
  type ListedPrompt,
  promptRecord,
  promptRow,
  promptSummary,
} from './prompt-text.ts';

/** The folder of a person's own prompts. @throws Failure `storage` without a home folder */
export function requireOwn(own: string | undefined): string {
  if (own !== undefined) return own;
  throw new Failure(
    'storage',
    'the folder of your prompt files is unknown: there is no home folder',
    {
      hint: 'set NATTER_CONFIG_DIR',
    },
  );
}

/** @throws Failure `usage` for a name that cannot be that of a file */
export function checkNewName(context: Context, name: string): void {
  refuseReservedName(name, context.platform);
  if (isPromptName(name) && /^[\w./-]+$/.test(name)) return;
  throw new Failure('usage', `"${name}" cannot be the name of a prompt file`, {
    hint: 'use letters, digits, - and _, with / for folders',
  });
}

/** Where a new prompt file of this name is written. */
export function newPath(context: Context, name: string, isOfProject: boolean): string {
  const places = promptPlaces(context);
  const folder = isOfProject ? newProjectFolder(places) : requireOwn(places.own);
  return path.join(folder, `${name.replace(/\.md$/, '')}.md`);
}

/**
 * Writes a new prompt file and its folders: for its owner only, or in a project with the usual permissions.
 * @param isForced replaces an existing file
 * @throws Failure `usage` for an existing file, `storage`
 */
export function createPromptFile(
  file: string,
  text: string,
  isOfProject: boolean,
  isForced = false,
): void {
  const folder = path.dirname(file);
  try {
    if (isOfProject) fs.mkdirSync(folder, { recursive: true });
    else makePrivateFolder(folder);
    const mode = isOfProject ? 0o666 : 0o600;
    // Replaces a link itself: the file that it leads to may be outside the project.
    if (isForced) replaceContent(file, text, mode);
    else fs.writeFileSync(file, text, { flag: 'wx', mode });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw storageFailure('write', file, error);
    throw new Failure('usage', `${file} exists`, { hint: '--force replaces it' });
  }
}

const columns = ['NAME', 'OF', 'VARIABLES', 'DESCRIPTION'];

/** Runs `natter prompts list`. A file that cannot be used is listed with the reason. @throws Failure */
export async function listPromptFiles(context: Context, options: JsonOptions): Promise<void> {
  const presentation = await present(context, options);
  const { notices } = presentation;
  const attach = { context, notices, signal: context.signal };
  const listed: ListedPrompt[] = [];
  for (const found of listPrompts(promptPlaces(context))) {
    try {
      listed.push({ found, prompt: await loadPromptFile(attach, found) });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      listed.push({ found, problem: error.message });
    }
  }
  if (options.json === true) return printJson(context, listed.map(promptRecord));
  if (listed.length > 0) return printTable(context, presentation, columns, listed.map(promptRow));
  notices.notice('there are no prompt files; ‹natter prompts edit NAME› creates one');
}

/** Runs `natter prompts show`. @throws Failure `not_found` */
export async function showPromptFile(
  context: Context,
  options: JsonOptions,
  name: string,
): Promise<void> {
  const presentation = await present(context, options);
  const { notices, style } = presentation;
  const attach = { context, notices, signal: context.signal };
  const found = findPrompt(promptPlaces(context), name);
  const prompt = await loadPromptFile(attach, found);
  for (const notice of prompt.notices) notices.notice(notice);
  const text = await readTextFile(attach, found.file);
  if (options.json === true) return printJson(context, promptDocument(found, prompt, text));
  const summary = promptSummary(found, prompt).split('\n').map(sanitizeLine).join('\n');
  await context.streams.stdout.write(`${style.dim(summary)}\n\n`);
  const whole = text.endsWith('\n') ? text : `${text}\n`;
  await printMarkdown(context, presentation, whole, { plain: true });
}

/** Runs `natter prompts path`. @throws Failure `not_found`, `storage` without a settings folder */
export async function showPromptPath(
  context: Context,
  _options: GlobalOptions,
  name: string | undefined,
): Promise<void> {
  const places = promptPlaces(context);
  const found = name === undefined ? requireOwn(places.own) : findPrompt(places, name).file.path;
  const { stdout } = context.streams;
  // A link in a project may lead to a file whose name has escape sequences.
  await stdout.write(`${stdout.isTerminal ? sanitizeLine(found) : found}\n`);
}

const newPrompt = `---
description:
variables:
---

`;

/** The path of an existing prompt file; undefined if there is none. */
function existingPath(context: Context, name: string): string | undefined {
  try {
    return findPrompt(promptPlaces(context), name).file.path;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not_found') return undefined;
    throw error;
  }
}

/** Runs `natter prompts edit`. @throws Failure for an editor that fails, and what is wrong with the edited file */
export async function editPromptFile(
  context: Context,
  options: GlobalOptions & { readonly project?: boolean },
  name: string,
): Promise<void> {
  const { notices } = await present(context, options);
  let file = existingPath(context, name);
  if (file === undefined) {
    checkNewName(context, name);
    file = newPath(context, name, options.project === true);
    createPromptFile(file, newPrompt, options.project === true);
    notices.notice(`created ${file}`);
  }
  await editFile(file, context);
  const found = findPrompt(promptPlaces(context), file);
  const prompt = await loadPromptFile({ context, notices, signal: context.signal }, found);
  for (const notice of prompt.notices) notices.notice(notice);
}
