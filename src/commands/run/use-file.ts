// What a prompt file makes of a run: its text, settings and schema.
import type { SchemaSource } from '../../ask/check.ts';
import { composePrompt, insertInput } from '../../conversation/compose-prompt.ts';
import { Failure } from '../../failure.ts';
import { resolveReference, type FoundPrompt } from '../../prompt-files/find-prompt.ts';
import { failureAt, placeText } from '../../prompt-files/place.ts';
import { placesWords, type PromptFile, usesOf } from '../../prompt-files/prompt-file.ts';
import { fillTemplate, type Placeholder, type Template } from '../../prompt-files/template.ts';
import { isSchemaPath } from '../../schema/schema-text.ts';
import { definitions, type Definition } from '../../settings/definitions.ts';
import {
  type ResolvedSettings,
  type Source,
  withValues,
} from '../../settings/resolved-settings.ts';
import { checkParameterName } from '../../settings/setting-name.ts';
import { parseSettingValue } from '../../settings/setting-value.ts';
import { readGuarded } from '../../input/load-prompt-file.ts';
import { uncheckedOptions } from '../../cli/prompt-options.ts';
import type { PromptSources } from '../../input/read-prompt.ts';
import type { SecretGuard } from '../../input/secret-guard.ts';
import type { readArguments } from '../../prompt-files/prompt-arguments.ts';

const joined = (...parts: readonly (string | undefined)[]) =>
  parts.filter((part) => part !== undefined && part !== '').join('\n\n');

/**
 * Fills the templates of a prompt file. Words and standard input without a place in them follow the text, as for a
 * plain prompt. Nothing that is inserted is expanded again.
 * @returns the prompt, and the system prompt if the file or `--system` has one
 * @throws Failure `usage` if there is nothing to send
 */
export function composeFile(
  prompt: PromptFile,
  contents: PromptSources & {
    readonly given: ReturnType<typeof readArguments>;
    /** The text for a `file` placeholder. */
    readonly contentOf: (placeholder: Placeholder) => string;
    /** The value of `--system`, which replaces the system prompt of the file. */
    readonly systemOption: string | undefined;
  },
) {
  const { given, contentOf, files, input, systemOption } = contents;
  const { variables, words } = given;
  const fill = (template: Template) =>
    fillTemplate(template, { variables, words, contentOf, stdin: input ?? '' });
  const inserted = input === undefined ? undefined : insertInput(systemOption, input);
  const ownSystem = prompt.system && fill(prompt.system);
  const system = inserted ?? systemOption ?? ownSystem;
  const used = systemOption === undefined ? prompt : { ...prompt, system: undefined };
  const isPlaced = inserted !== undefined || usesOf(used, 'stdin').length > 0;
  const text = joined(fill(prompt.prompt), placesWords(prompt) ? undefined : words.join(' '));
  const whole = joined(composePrompt({ prompt: text, files }), isPlaced ? undefined : input);
  if (whole.trim() !== '') return { prompt: whole, system };
  throw new Failure('usage', `${prompt.file.name} has no text to send`, {
    hint: `pipe text in, or add words: ‹natter run ${prompt.file.name} "…"›`,
  });
}

/**
 * The schema of a prompt file: in its front matter, or in the file that it names; undefined without one.
 * @throws Failure with the file and the line, also for options that cannot be used with a schema
 */
export async function readOwnSchema(
  { boundary }: FoundPrompt,
  { front: { schema } }: PromptFile,
  options: object,
  signal: AbortSignal,
  guard?: SecretGuard,
): Promise<SchemaSource | undefined> {
  if (schema === undefined) return undefined;
  const { value, place } = schema;
  const other = uncheckedOptions.find((name) => name in options);
  if (other !== undefined) {
    throw failureAt(place, `--${other} cannot be used with a schema`);
  }
  const label = `${placeText(place)}: schema`;
  if (typeof value !== 'string') return { text: JSON.stringify(value), label };
  if (!isSchemaPath(value)) return { text: value, label };
  const file = resolveReference(boundary, { name: value, place });
  return { text: (await readGuarded(file, signal, guard)).content, label: file.name };
}

/** Whether an option of the command line set it. */
export const isFlag = ({ kind }: Source) => kind === 'flag';

/** Names the file as the source of a setting. */
export const sourceOf = ({ file }: PromptFile): Source => ({
  kind: 'prompt file',
  name: file.name,
});

/**
 * The settings with those of a prompt file, which options override; the system prompt is set when its text is complete.
 * @throws Failure `usage` with the file and the line for a bad value
 */
export function withFileSettings(settings: ResolvedSettings, prompt: PromptFile): ResolvedSettings {
  const source = sourceOf(prompt);
  const { front } = prompt;
  const found = (['model', 'maxTokens'] as const).flatMap((key) => {
    const placed = front[key];
    if (placed === undefined) return [];
    const definition = definitions[key] as Definition<unknown>;
    const label = `${placeText(placed.place)}: ${definition.name}`;
    const value = parseSettingValue(definition, placed.value, { label, kind: 'usage' });
    return isFlag(settings.sources[key]) ? [] : [[key, value] as const];
  });
  const flags = Object.entries(settings.params).filter(([, param]) => isFlag(param.source));
  const params = (front.params ?? []).map(({ value: [name, value], place }) => {
    checkParameterName(name, 'usage', ` in ${placeText(place)}`);
    return [name, { value, source }] as const;
  });
  return {
    ...withValues(settings, Object.fromEntries(found), source),
    params: { ...settings.params, ...Object.fromEntries(params), ...Object.fromEntries(flags) },
  };
}
