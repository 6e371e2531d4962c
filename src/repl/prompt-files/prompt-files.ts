import { readFileSync } from 'node:fs';
import { openCheck } from '../../ask/check.ts';
import { composeFile, readOwnSchema, withFileSettings } from '../../commands/run/run.ts';
import { splitFrontMatter } from '../../front-matter.ts';
import { loadPromptFile, readInserted } from '../../input/load-prompt-file.ts';
import { checkInside, type FoundPrompt, listPrompts } from '../../prompt-files/find-prompt.ts';
import { readArguments } from '../../prompt-files/prompt-arguments.ts';
import {
  placesWords,
  type PromptFile,
  usesOf,
  type Variable,
  variablesOf,
} from '../../prompt-files/prompt-file.ts';
import type { Context, Run } from '../../run.ts';

/** A variable of a prompt file; one without a default needs a value. */
export type PromptVariable = Omit<Variable, 'place'>;

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

/** A word; quotes keep words that belong together. */
const word = /"[^"]*"|'[^']*'|\S+/g;

/** The text goes to `{{stdin}}`, to the numbered words, or after the prompt. */
function contentsOf(prompt: PromptFile, values: Readonly<Record<string, string>>, text: string) {
  const takesInput = usesOf(prompt, 'stdin').length > 0;
  const isNumbered = usesOf(prompt, 'argument').length > 0;
  const plain = (part: string) => part.replace(/^(["'])([^]*)\1$/, '$2');
  const words = isNumbered ? (text.match(word) ?? []).map(plain) : [text];
  const assignments = Object.entries(values).map(([name, value]) => `--${name}=${value}`);
  const given = readArguments(prompt, assignments);
  const placed = takesInput || text === '' ? [] : words;
  return { given: { ...given, words: placed }, input: takesInput ? text : undefined };
}

/** The prompt files of the project and of the user that can be commands. @throws Failure */
export const findPromptFiles = (context: Context) =>
  listPrompts(context)
    .filter(({ name }) => !/\s/.test(name))
    .map((found) => ({ name: found.name, summary: descriptionOf(found) }));

/** Reads a prompt file; undefined if there is none with this name. @throws Failure */
export async function openPrompt(
  { context, presentation, settings }: Run,
  name: string,
  signal: AbortSignal,
) {
  const found = listPrompts(context).find((one) => one.name === name);
  if (found === undefined) return undefined;
  const prompt = await loadPromptFile(found, signal);
  const { values } = withFileSettings(settings, prompt);
  const { model, maxTokens, params } = prompt.front;
  return {
    name,
    variables: variablesOf(prompt) as readonly PromptVariable[],
    model: model && values.model,
    neededText: neededText(prompt),

    /** The text with the values of the variables, and the settings that hold for its answer only. */
    async fill(given: Readonly<Record<string, string>>, text: string, stopping: AbortSignal) {
      const contentOf = await readInserted(found, prompt, stopping);
      const placed = contentsOf(prompt, given, text);
      const contents = { ...placed, files: [], contentOf, systemOption: undefined };
      const { prompt: content, system } = composeFile(prompt, contents);
      const schema = await readOwnSchema(found, prompt, {}, stopping);
      const check = await openCheck(presentation.notices, {}, schema);
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

/** A prompt file that can be filled. */
export type OpenedPrompt = NonNullable<Awaited<ReturnType<typeof openPrompt>>>;
