import type { OpenedPrompt, PromptUse } from './prompt-command.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { SessionSettings } from '../state.ts';
import { open } from 'node:fs/promises';
import { type AnswerCheck, openCheck } from '../../ask/check.ts';
import { loadPromptFile, readInserted, promptPlaces } from '../../input/load-prompt-file.ts';
import { composeFile, readOwnSchema, withFileSettings } from '../../commands/run/use-file.ts';
import { Failure } from '../../failure.ts';
import { splitFrontMatter } from '../../front-matter.ts';
import type { Notices } from '../../output/notices.ts';
import {
  checkInside,
  type FoundPrompt,
  listPrompts,
} from '../../prompt-files/library/find-prompt.ts';
import { readArguments } from '../../prompt-files/prompt-arguments.ts';
import {
  partsOf,
  placesWords,
  type PromptFile,
  variablesOf,
} from '../../prompt-files/prompt-file.ts';
import { placeholdersOf } from '../../prompt-files/template.ts';
import type { Context } from '../../run.ts';

/** A prompt file filled with its values. */
interface FilledPrompt {
  readonly content: string;
  /** Settings that hold for this answer only. */
  readonly settings: Partial<SessionSettings>;
  /** What the file asks for and natter ignores. */
  readonly notices: readonly string[];
  /** If the file has a schema. */
  readonly check?: AnswerCheck;
}

interface ReplPromptsOptions {
  readonly context: Context;
  readonly notices: Notices;
  readonly settings: ResolvedSettings;
}

/** Bytes of a file that are searched for its description. */
const headSize = 4096;

async function readHead({ file, boundary }: FoundPrompt): Promise<string> {
  checkInside(boundary, file);
  const handle = await open(file.path);
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(headSize) });
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The description in the front matter, without parsing it as YAML; empty if it is not on one line. */
async function descriptionOf(found: FoundPrompt): Promise<string> {
  try {
    const { frontMatter = '' } = splitFrontMatter(await readHead(found));
    const line =
      /^description:[ \t]*(?<text>[^\s>|].*)$/m.exec(frontMatter)?.groups?.['text'] ?? '';
    return line.trim().replace(/^(?<quote>["'])(?<inner>.*)\k<quote>$/, '$<inner>');
  } catch {
    // `natter prompts` and the command itself report why it cannot be read.
    return '';
  }
}

/** What the text after the name is for; undefined if the file needs none. */
function neededText(prompt: PromptFile): string | undefined {
  const parts = partsOf(prompt);
  if (placeholdersOf(parts, 'stdin').length > 0) return 'text for {{stdin}}';
  const { argumentHint } = prompt.front;
  if (argumentHint !== undefined && placesWords(prompt)) return argumentHint;
  return placeholdersOf(parts, 'argument').length > 0 ? 'words for $1' : undefined;
}

/** The words of a text; quotes keep those that belong together. */
function wordsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g), ([, double, single, plain]) => {
    return double ?? single ?? plain ?? '';
  });
}

/** The text goes to `{{stdin}}`, to the numbered words, or after the prompt. */
function contentsOf(prompt: PromptFile, { values, text }: PromptUse) {
  const parts = partsOf(prompt);
  const takesInput = placeholdersOf(parts, 'stdin').length > 0;
  const isNumbered = placeholdersOf(parts, 'argument').length > 0;
  const words = isNumbered ? wordsOf(text) : [text];
  const assignments = Object.entries(values).map(([name, value]) => `--${name}=${value}`);
  const given = readArguments(prompt, assignments);
  const placed = takesInput || text === '' ? [] : words;
  return { given: { ...given, words: placed }, input: takesInput ? text : undefined };
}

/** The settings of the file; undefined ones are left out. */
function ownSettings(
  { settings }: ReplPromptsOptions,
  prompt: PromptFile,
  system: string | undefined,
): FilledPrompt['settings'] {
  const { model, maxTokens, params } = prompt.front;
  const { values } = withFileSettings(settings, prompt);
  const set = Object.fromEntries((params ?? []).map(({ value }) => value));
  return {
    ...(model !== undefined && { model: values.model }),
    ...(maxTokens !== undefined && { maxTokens: values.maxTokens }),
    ...(params !== undefined && { parameters: { set, removed: [] } }),
    ...(system !== undefined && { system }),
  };
}

const find = ({ context }: ReplPromptsOptions, name: string) =>
  listPrompts(promptPlaces(context)).find((found) => found.name === name);

function openedPrompt(
  { settings }: ReplPromptsOptions,
  name: string,
  prompt: PromptFile,
): OpenedPrompt {
  const needed = neededText(prompt);
  const { model } = withFileSettings(settings, prompt).values;
  return {
    name,
    variables: variablesOf(prompt),
    ...(prompt.front.model !== undefined && { model }),
    ...(needed !== undefined && { neededText: needed }),
  };
}

/** The prompt with its schema behind it, and the check of its answer. @throws Failure with the file and the line */
async function withCheck(
  { context, notices, settings }: ReplPromptsOptions,
  found: FoundPrompt,
  { front: { schema } }: PromptFile,
  filled: FilledPrompt,
  signal: AbortSignal,
): Promise<FilledPrompt> {
  if (schema === undefined) return filled;
  const own = await readOwnSchema({ context, notices, signal }, {}, found, schema);
  const check = await openCheck(notices, {}, own);
  if (check === undefined) return filled;
  const format = check.settings(settings).params['response_format'];
  const { parameters } = filled.settings;
  const set = { ...(format && { response_format: format.value }), ...parameters?.set };
  return {
    ...filled,
    content: check.prompt(filled.content),
    settings: { ...filled.settings, ...(format && { parameters: { set, removed: [] } }) },
    check,
  };
}

async function fill(
  options: ReplPromptsOptions,
  use: PromptUse,
  signal: AbortSignal,
): Promise<FilledPrompt> {
  const { context, notices } = options;
  const found = find(options, use.name);
  if (found === undefined) {
    throw new Failure('not_found', `there is no prompt file "${use.name}"`);
  }
  const prompt = await loadPromptFile({ context, notices, signal }, found);
  const contentOf = await readInserted({ context, notices, signal }, found, prompt);
  const contents = { ...contentsOf(prompt, use), files: [], contentOf, systemOption: undefined };
  const { prompt: content, system } = composeFile(prompt, contents);
  const filled = {
    content,
    settings: ownSettings(options, prompt, system),
    notices: prompt.notices,
  };
  return withCheck(options, found, prompt, filled, signal);
}

/** Prompt files of the project and of the user. Functions throw Failure. */
export function createReplPrompts(options: ReplPromptsOptions) {
  return {
    list() {
      const found = listPrompts(promptPlaces(options.context));
      const named = found.filter(({ name }) => !/\s/.test(name));
      return Promise.all(
        named.map(async (one) => ({ name: one.name, summary: await descriptionOf(one) })),
      );
    },
    /** Undefined if there is no prompt file with this name. */
    async open(name: string, signal: AbortSignal): Promise<OpenedPrompt | undefined> {
      const found = find(options, name);
      const prompt = found && (await loadPromptFile({ ...options, signal }, found));
      return prompt && openedPrompt(options, name, prompt);
    },
    fill: (use: PromptUse, signal: AbortSignal) => fill(options, use, signal),
  };
}

export type ReplPrompts = ReturnType<typeof createReplPrompts>;
