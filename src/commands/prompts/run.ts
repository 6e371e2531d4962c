import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import {
  type FoundPrompt,
  filesIn,
  findPrompt,
  isPromptName,
  listPrompts,
  lookUpPrompt,
  newProjectFolder,
  ownFolder,
} from '../../prompt-files/find-prompt.ts';
import { editFile } from '../../repl/shell/external-editor.ts';
import type { Action, Context, GlobalOptions, JsonOptions, StartedRun } from '../../run.ts';
import { refuseReservedName } from '../../storage/file-name.ts';
import { entryAt, isFile, makePrivateFolder, replaceContent } from '../../storage/files.ts';
import { errorCode, storageFailure } from '../../storage/storage-failure.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { printMarkdown } from '../../output/answer-printer.ts';
import { printTable, printJson } from '../../output/print-data.ts';
import {
  loadPromptFile,
  readGuarded,
  readTextFile,
  userFile,
} from '../../input/load-prompt-file.ts';
import { placeText, type SourceFile } from '../../prompt-files/place.ts';
import {
  parsePromptFile,
  type PromptFile,
  usesOf,
  type Variable,
  variableDetails,
  variablesOf,
} from '../../prompt-files/prompt-file.ts';

/** A prompt file in a list, or why it cannot be used. */
interface ListedPrompt {
  readonly found: FoundPrompt;
  readonly prompt?: PromptFile;
  readonly problem?: string;
}

const originNames = { project: 'project', own: 'yours', path: 'path' } as const;

/** `--lang=ts|js [--tone=kind]`: optional variables are in brackets, with their defaults. */
function variableText({ name, choices, default: value }: Variable): string {
  if (value !== undefined) return `[--${name}=${value}]`;
  return `--${name}=${choices?.join('|') ?? 'TEXT'}`;
}

function promptRow({ found, prompt, problem }: ListedPrompt): readonly string[] {
  const variables = prompt === undefined ? [] : variablesOf(prompt).map(variableText);
  const description = problem ?? prompt?.front.description ?? '';
  return [found.name, originNames[found.origin], variables.join(' '), description];
}

function promptRecord({ found, prompt, problem }: ListedPrompt): object {
  return {
    name: found.name,
    origin: found.origin,
    path: found.file.path,
    description: prompt?.front.description ?? null,
    variables: (prompt === undefined ? [] : variablesOf(prompt)).map((variable) => ({
      name: variable.name,
      description: variable.description ?? null,
      choices: variable.choices ?? null,
      default: variable.default ?? null,
    })),
    problem: problem ?? null,
  };
}

/** The document of `natter prompts show --json`: the record, and what the file sets. */
function promptDocument(found: FoundPrompt, prompt: PromptFile, text: string): object {
  const { front } = prompt;
  const params = (front.params ?? []).map(({ value }) => value);
  return {
    ...promptRecord({ found, prompt }),
    format: prompt.format,
    model: front.model?.value ?? null,
    max_tokens: front.maxTokens?.value ?? null,
    params: Object.fromEntries(params),
    schema: front.schema?.value ?? null,
    argument_hint: front.argumentHint ?? null,
    text,
  };
}

function promptSummary(found: FoundPrompt, prompt: PromptFile): string {
  const { front } = prompt;
  const params = front.params?.map(
    ({ value: [name, value] }) => `${name}=${JSON.stringify(value)}`,
  );
  const schema = front.schema?.value;
  const schemaText = typeof schema === 'object' ? JSON.stringify(schema) : schema;
  const rows: readonly (readonly [label: string, value: string | undefined])[] = [
    ['File', found.file.name],
    ['Description', front.description],
    ['Model', front.model?.value],
    ['Max tokens', front.maxTokens?.value],
    ['Parameters', params?.join(', ')],
    ['Schema', schemaText],
    ['Words', front.argumentHint],
  ];
  const lines = rows.flatMap(([label, value]) =>
    value === undefined ? [] : [`${`${label}:`.padEnd(13)}${value}`],
  );
  const variables = variablesOf(prompt).map((one) => `  --${one.name}  ${variableDetails(one)}`);
  return [...lines, ...(variables.length === 0 ? [] : ['Variables:', ...variables])].join('\n');
}

/** The folder of a person's own prompts. @throws Failure `storage` without a home folder */
function requireOwn(context: Context): string {
  const own = ownFolder(context);
  if (own !== undefined) return own;
  const message = 'the folder of your prompt files is unknown: there is no home folder';
  throw new Failure('storage', message, { hint: 'set NATTER_CONFIG_DIR' });
}

/** The options of `natter prompts import`; `edit` has one of them. */
interface ImportOptions extends GlobalOptions {
  readonly name?: string;
  readonly project?: boolean;
  readonly force?: boolean;
}

/**
 * Writes a new prompt file and its folders: for its owner only, or in a project with the usual permissions.
 * @returns its path
 * @throws Failure `usage` for an existing file, or a name that cannot be that of a file; `storage`
 */
function createPromptFile(
  context: Context,
  name: string,
  text: string,
  { project, force }: ImportOptions,
): string {
  refuseReservedName(name, context.platform);
  if (!isPromptName(name) || !/^[\w./-]+$/.test(name)) {
    throw new Failure('usage', `"${name}" cannot be the name of a prompt file`, {
      hint: 'use letters, digits, - and _, with / for folders',
    });
  }
  const isOfProject = project === true;
  const own = isOfProject ? newProjectFolder(context) : requireOwn(context);
  const file = path.join(own, `${name.replace(/\.md$/, '')}.md`);
  const folder = path.dirname(file);
  try {
    if (isOfProject) fs.mkdirSync(folder, { recursive: true });
    else makePrivateFolder(folder);
    const mode = isOfProject ? 0o666 : 0o600;
    // Replaces a link itself: the file that it leads to may be outside the project.
    if (force === true) replaceContent(file, text, mode);
    else fs.writeFileSync(file, text, { flag: 'wx', mode });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw storageFailure('write', file, error);
    throw new Failure('usage', `${file} exists`, { hint: '--force replaces it' });
  }
  return file;
}

/** Runs `natter prompts list`. A file that cannot be used is listed with the reason. @throws Failure */
export const listPromptFiles: Action<JsonOptions> = async (run) => {
  const { context, options, presentation } = run;
  const listed: ListedPrompt[] = [];
  for (const found of listPrompts(context)) {
    try {
      listed.push({ found, prompt: await loadPromptFile(found, context.signal) });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      listed.push({ found, problem: error.message });
    }
  }
  if (options.json === true) return printJson(context, listed.map(promptRecord));
  if (listed.length > 0) {
    const columns = ['NAME', 'OF', 'VARIABLES', 'DESCRIPTION'];
    return printTable(run, columns, listed.map(promptRow));
  }
  presentation.notices.notice('there are no prompt files; ‹natter prompts edit NAME› creates one');
};

export const showPromptFile: Action<JsonOptions, [name: string]> = async (run, name) => {
  const { context, options, presentation } = run;
  const { notices, style } = presentation;
  const found = findPrompt(context, name);
  const prompt = await loadPromptFile(found, context.signal);
  for (const notice of prompt.notices) notices.notice(notice);
  const text = await readTextFile(found.file, context.signal);
  if (options.json === true) return printJson(context, promptDocument(found, prompt, text));
  const summary = promptSummary(found, prompt).split('\n').map(sanitizeLine).join('\n');
  await context.streams.stdout.write(`${style.dim(summary)}\n\n`);
  const whole = text.endsWith('\n') ? text : `${text}\n`;
  await printMarkdown(context, presentation, [whole], { plain: true });
};

export const showPromptPath: Action<GlobalOptions, [name?: string]> = async ({ context }, name) => {
  const found = name === undefined ? requireOwn(context) : findPrompt(context, name).file.path;
  const { stdout } = context.streams;
  // A link in a project may lead to a file whose name has escape sequences.
  await stdout.write(`${stdout.isTerminal ? sanitizeLine(found) : found}\n`);
};

const newPrompt = `---
description:
variables:
---

`;

/** Runs `natter prompts edit`. @throws Failure for an editor that fails, and what is wrong with the edited file */
export const editPromptFile: Action<ImportOptions, [name: string]> = async (run, name) => {
  const { context, options } = run;
  const { notices } = run.presentation;
  let file = lookUpPrompt(context, name)?.file.path;
  if (file === undefined) {
    file = createPromptFile(context, name, newPrompt, options);
    notices.notice(`created ${file}`);
  }
  await editFile(file, context);
  const found = findPrompt(context, file);
  const prompt = await loadPromptFile(found, context.signal);
  for (const notice of prompt.notices) notices.notice(notice);
};

/** A file to import. A single one has its own name, a fabric pattern that of its folder. */
function sourceOf(file: string, name?: string) {
  const full = path.resolve(file);
  const base = path.basename(file);
  const isPattern = base.toLowerCase() === 'system.md';
  const folder = path.basename(path.dirname(full));
  const own = isPattern ? folder : base.replace(/\.(?:prompt\.)?[^.]+$/, '');
  return { name: name ?? own, file: { name: file, path: full } };
}

/**
 * The prompt files of a path: a file, a fabric pattern, or all that a folder contains.
 * @throws Failure `not_found` for a path that does not exist, or a folder without prompt files
 */
function findSources(target: string) {
  const entry = entryAt(target);
  if (entry === undefined) {
    throw new Failure('not_found', `there is no file or folder ${target}`, {
      hint: 'name a prompt file, or a folder of them: ‹natter prompts import --help›',
    });
  }
  if (!entry.isDirectory()) return [sourceOf(target)];
  const pattern = path.join(target, 'system.md');
  if (isFile(pattern)) return [sourceOf(pattern)];
  const found = filesIn(target).map(({ name, file }) => sourceOf(file, name));
  if (found.length > 0) return found;
  throw new Failure('not_found', `${target} contains no prompt files`, {
    hint: 'prompt files are .md and .yaml files, and folders with system.md',
  });
}

async function importOne(run: StartedRun<ImportOptions>, source: ReturnType<typeof sourceOf>) {
  const { context, options } = run;
  const { notices } = run.presentation;
  // Names of files may have characters that are not allowed in the names of prompts.
  const allowed = source.name.replaceAll(/[^\w./-]+/g, '-').replaceAll(/(?<=^|\/)[-._]+/g, '');
  const name = options.name ?? (allowed || 'prompt');
  const read = (one: SourceFile) => readGuarded(one, context.signal, undefined);
  const user = userFile(source.file);
  const prompt = await parsePromptFile(await read(source.file), user && (await read(user)));
  const { promptMarkdown } = await import('../../prompt-files/write-markdown.ts');
  const file = createPromptFile(context, name, promptMarkdown(prompt), options);
  for (const notice of prompt.notices) notices.notice(notice);
  for (const { name: reference, place } of usesOf(prompt, 'file', 'include')) {
    const text = `${placeText(place)}: ${reference} is not copied; its path may be wrong now`;
    notices.notice(text);
  }
  return [name, file];
}

/** Runs `natter prompts import`. @throws Failure if one of the files cannot be imported; the others are */
export const importPromptFiles: Action<ImportOptions, [names: string[]]> = async (run, names) => {
  const { options, presentation } = run;
  const sources = names.flatMap(findSources);
  if (options.name !== undefined && sources.length !== 1) {
    throw new Failure('usage', `--name is for one prompt file, not for ${sources.length}`, {
      hint: 'omit it, and each keeps its name',
    });
  }
  const rows: (readonly string[])[] = [];
  const problems: Failure[] = [];
  for (const source of sources) {
    try {
      rows.push(await importOne(run, source));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      problems.push(error);
    }
  }
  if (rows.length > 0) await printTable(run, ['NAME', 'FILE'], rows);
  const [first] = problems;
  if (first === undefined) return;
  if (sources.length === 1) throw first;
  for (const { message } of problems) presentation.notices.warning(message);
  const text = `${problems.length} of ${sources.length} prompt files were not imported`;
  throw new Failure('usage', text, { hint: '--force replaces existing prompt files' });
};
