import { readFileSync } from 'node:fs';
import { openCheck } from '../../ask/check.ts';
import { composeFile, readOwnSchema, withFileSettings } from '../../commands/run/use-file.ts';
import { Failure } from '../../failure.ts';
import { splitFrontMatter } from '../../front-matter.ts';
import { loadPromptFile, promptPlaces, readInserted } from '../../input/load-prompt-file.ts';
import type { Notices } from '../../output/notices.ts';
import { checkInside, type FoundPrompt, listPrompts } from '../../prompt-files/find-prompt.ts';
import type { Variable } from '../../prompt-files/front-matter-keys.ts';
import { readArguments } from '../../prompt-files/prompt-arguments.ts';
import {
  placesWords,
  type PromptFile,
  usesOf,
  variablesOf,
} from '../../prompt-files/prompt-file.ts';
import type { Context } from '../../run.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { PromptUse } from '../state.ts';

/** A variable of a prompt file; one without a default needs a value. */
export type PromptVariable = Omit<Variable, 'place'>;

/** What has to be known of a prompt file before it is filled. */
export interface OpenedPrompt {
  readonly name: string;
  /** The model of its answer, if the file names one. */
  readonly model?: string | undefined;
  readonly variables: readonly PromptVariable[];
  /** What the text after the name is, if the file needs one. */
  readonly neededText?: string | undefined;
}

/** The description in the front matter, without parsing it as YAML; empty if it is not on one line. */
function descriptionOf({ file, boundary }: FoundPrompt): string {
  try {
    checkInside(boundary, file);
    const { frontMatter = '' } = splitFrontMatter(readFileSync(file.path, 'utf8'));
    const line = /^description:[ \t]*([^\s>|].*)$/m.exec(frontMatter)?.[1] ?? '';
    return line.trim().replace(/^(["'])(.*)\1$/, '$2');
  } catch {
    // `natter prompts` and the command itself report why it cannot be read.
    return '';
  }
}

/** What the text after the name is for; undefined if the file needs none. */
function neededText(prompt: PromptFile): string | undefined {
  if (usesOf(prompt, 'stdin').length > 0) return 'text for {{stdin}}';
  const { argumentHint } = prompt.front;
  if (argumentHint !== undefined && placesWords(prompt)) return argumentHint;
  return usesOf(prompt, 'argument').length > 0 ? 'words for $1' : undefined;
}

/** The words of a text; quotes keep those that belong together. */
function wordsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g), ([, double, single, plain]) => {
    return double ?? single ?? plain ?? '';
  });
}

/** The text goes to `{{stdin}}`, to the numbered words, or after the prompt. */
function contentsOf(prompt: PromptFile, { values, text }: PromptUse) {
  const takesInput = usesOf(prompt, 'stdin').length > 0;
  const isNumbered = usesOf(prompt, 'argument').length > 0;
  const words = isNumbered ? wordsOf(text) : [text];
  const assignments = Object.entries(values).map(([name, value]) => `--${name}=${value}`);
  const given = readArguments(prompt, assignments);
  const placed = takesInput || text === '' ? [] : words;
  return { given: { ...given, words: placed }, input: takesInput ? text : undefined };
}

/** Prompt files of the project and of the user. Functions throw Failure. */
export function createReplPrompts(context: Context, notices: Notices, settings: ResolvedSettings) {
  const find = (name: string) =>
    listPrompts(promptPlaces(context)).find((found) => found.name === name);
  return {
    list: async () =>
      listPrompts(promptPlaces(context))
        .filter(({ name }) => !/\s/.test(name))
        .map((found) => ({ name: found.name, summary: descriptionOf(found) })),

    /** Undefined if there is no prompt file with this name. */
    async open(name: string, signal: AbortSignal): Promise<OpenedPrompt | undefined> {
      const found = find(name);
      if (found === undefined) return undefined;
      const prompt = await loadPromptFile(found, signal);
      const { model } = withFileSettings(settings, prompt).values;
      return {
        name,
        variables: variablesOf(prompt),
        model: prompt.front.model && model,
        neededText: neededText(prompt),
      };
    },

    /** The text of a prompt file with its values, and the settings that hold for its answer only. */
    async fill(use: PromptUse, signal: AbortSignal) {
      const found = find(use.name);
      if (found === undefined) {
        throw new Failure('not_found', `there is no prompt file "${use.name}"`);
      }
      const prompt = await loadPromptFile(found, signal);
      const contentOf = await readInserted(found, prompt, signal);
      const contents = {
        ...contentsOf(prompt, use),
        files: [],
        contentOf,
        systemOption: undefined,
      };
      const { prompt: content, system } = composeFile(prompt, contents);
      const { model, maxTokens, params } = prompt.front;
      const { values } = withFileSettings(settings, prompt);
      const check = await openCheck(notices, {}, await readOwnSchema(found, prompt, {}, signal));
      const format = check?.settings(settings).params['response_format'];
      const set = {
        ...(format && { response_format: format.value }),
        ...Object.fromEntries((params ?? []).map(({ value }) => value)),
      };
      return {
        content: check?.prompt(content) ?? content,
        settings: {
          ...(model !== undefined && { model: values.model }),
          ...(maxTokens !== undefined && { maxTokens: values.maxTokens }),
          ...(system !== undefined && { system }),
          parameters: { set, removed: [] },
        },
        notices: prompt.notices,
        check,
      };
    },
  };
}

export type ReplPrompts = ReturnType<typeof createReplPrompts>;
