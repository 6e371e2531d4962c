import { Failure } from '../../failure.ts';
import {
  findPrompt,
  type FoundPrompt,
  listPrompts,
} from '../../prompt-files/library/find-prompt.ts';
import type { PromptFile } from '../../prompt-files/prompt-file.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { printTable, printJson } from '../print/print-data.ts';
import { printMarkdown } from '../print/answer-output.ts';
import {
  type Presentation,
  present,
  type Context,
  type GlobalOptions,
  type JsonOptions,
} from '../../run.ts';
import type { AttachOptions } from '../prompt/attach-files.ts';
import { loadPromptFile, readTextFile } from '../prompt/load-prompt-file.ts';
import { promptPlaces } from '../prompt/prompt-places.ts';
import { requireOwn } from './new-prompt.ts';
import {
  promptDocument,
  type ListedPrompt,
  promptRecord,
  promptRow,
  promptSummary,
} from './prompt-text.ts';

const attachOptions = (context: Context, { notices }: Presentation): AttachOptions => ({
  context,
  notices,
  signal: context.signal,
});

/** A file that cannot be used is listed with the reason. */
async function describe(attach: AttachOptions, found: FoundPrompt): Promise<ListedPrompt> {
  try {
    return { found, prompt: await loadPromptFile(attach, found) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { found, problem: error.message };
  }
}

const columns = ['NAME', 'OF', 'VARIABLES', 'DESCRIPTION'].map((heading) => ({ heading }));

/** Runs `natter prompts list`. @throws Failure */
export async function listPromptFiles(context: Context, options: JsonOptions): Promise<void> {
  const presentation = await present(context, options);
  const attach = attachOptions(context, presentation);
  const listed: ListedPrompt[] = [];
  for (const found of listPrompts(promptPlaces(context))) {
    listed.push(await describe(attach, found));
  }
  if (options.json === true) return printJson(context, listed.map(promptRecord));
  if (listed.length === 0) {
    presentation.notices.notice('there are no prompt files; natter prompts edit NAME creates one');
    return undefined;
  }
  return printTable(context, presentation, columns, listed.map(promptRow));
}

async function showText(
  context: Context,
  presentation: Presentation,
  prompt: PromptFile,
  found: FoundPrompt,
  text: string,
): Promise<void> {
  const { style } = presentation;
  const lines = promptSummary(found, prompt).split('\n').map(sanitizeLine).join('\n');
  await context.streams.stdout.write(`${style.dim(lines)}\n\n`);
  await printMarkdown(context, presentation, text.endsWith('\n') ? text : `${text}\n`, {
    plain: true,
  });
}

/** Runs `natter prompts show`. @throws Failure `not_found` */
export async function showPromptFile(
  context: Context,
  options: JsonOptions,
  name: string,
): Promise<void> {
  const presentation = await present(context, options);
  const attach = attachOptions(context, presentation);
  const found = findPrompt(promptPlaces(context), name);
  const prompt = await loadPromptFile(attach, found);
  for (const notice of prompt.notices) presentation.notices.notice(notice);
  const text = await readTextFile(attach, found.file);
  if (options.json === true) return printJson(context, promptDocument(found, prompt, text));
  return showText(context, presentation, prompt, found, text);
}

/** Runs `natter prompts path`. @throws Failure `not_found`, `storage` without a settings folder */
export async function showPromptPath(
  context: Context,
  _options: GlobalOptions,
  name: string | undefined,
): Promise<void> {
  const places = promptPlaces(context);
  const path = name === undefined ? requireOwn(places.own) : findPrompt(places, name).file.path;
  const { stdout } = context.streams;
  // A link in a project may lead to a file whose name has escape sequences.
  await stdout.write(`${stdout.isTerminal ? sanitizeLine(path) : path}\n`);
}
