// Runs a prompt file, which sets the text, settings and schema of a run.
import {
  withValues,
  type ResolvedSettings,
  type Source,
} from '../../settings/resolved-settings.ts';
import { Failure } from '../../failure.ts';
import { findPrompt, resolveReference, type FoundPrompt } from '../../prompt-files/find-prompt.ts';
import { failureAt, placeText } from '../../prompt-files/place.ts';
import { readArguments } from '../../prompt-files/prompt-arguments.ts';
import {
  type PromptFile,
  usesOf,
  variablesOf,
  placesWords,
} from '../../prompt-files/prompt-file.ts';
import type { StartedRun } from '../../run.ts';
import { type ChatOptions, prepare, sendPrompt } from '../chat/run.ts';
import { beforeDashes } from '../../cli/command-line.ts';
import { loadPromptFile, readInserted, readGuarded } from '../../input/load-prompt-file.ts';
import { readHistory } from '../../input/read-messages.ts';
import { type PromptSources, readSources } from '../../input/read-prompt.ts';
import {
  hasInputPlaceholder,
  composePrompt,
  insertInput,
} from '../../conversation/compose-prompt.ts';
import { openSecretGuard, type SecretGuard } from '../../input/secret-guard.ts';
import type { SchemaSource } from '../../ask/check.ts';
import { fillTemplate, type Placeholder, type Template } from '../../prompt-files/template.ts';
import { isSchemaPath } from '../../schema/schema-text.ts';
import { definitions, type Definition } from '../../settings/definitions.ts';
import { checkParameterName } from '../../settings/setting-name.ts';
import { parseValue } from '../../settings/setting-value.ts';
import { uncheckedOptions } from '../../cli/options.ts';

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
 * The schema of a prompt file: in its front matter, or in the file that it names; undefined without one, or if
 * `--schema` replaces it.
 * @throws Failure with the file and the line, also for options that cannot be used with a schema
 */
export async function readOwnSchema(
  { boundary }: FoundPrompt,
  { front: { schema } }: PromptFile,
  options: object,
  signal: AbortSignal,
  guard?: SecretGuard,
): Promise<SchemaSource | undefined> {
  if (schema === undefined || 'schema' in options) return undefined;
  const { value, place } = schema;
  const other = uncheckedOptions.find((name) => name in options);
  if (other !== undefined) throw failureAt(place, `--${other} cannot be used with a schema`);
  const label = `${placeText(place)}: schema`;
  if (typeof value !== 'string') return { text: JSON.stringify(value), label };
  if (!isSchemaPath(value)) return { text: value, label };
  const file = resolveReference(boundary, { name: value, place });
  return { text: (await readGuarded(file, signal, guard)).content, label: file.name };
}

const isFlag = ({ kind }: Source) => kind === 'flag';

const sourceOf = ({ file }: PromptFile): Source => ({ kind: 'prompt file', name: file.name });

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
    const value = parseValue(definition.type, placed.value, { label, kind: 'usage' });
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

const isVariable = (word: string) => word.startsWith('--');

/** The hint for words that are a prompt and not a prompt file: `natter run away with me`. */
function promptHint(name: string, line: readonly string[]): string | undefined {
  if (isVariable(name)) return `put the name of the prompt file first: ‹natter run NAME ${name}›`;
  if (line.length === 0 || line.some(isVariable)) return undefined;
  return `to send it as a prompt: ‹natter chat run ${[name, ...line].join(' ')}›`;
}

/** Options of `natter chat` alone. */
const chatOption = /^(?:-i|--(?:every|split|interactive))$/;

/**
 * Refuses a variable that cannot be set, because natter has an option with its name, and an option of `natter chat` alone
 * unless it is a variable.
 */
function refuseNames(
  prompt: PromptFile,
  line: readonly string[],
  optionNames: ReadonlySet<string | undefined>,
): void {
  const variables = variablesOf(prompt);
  const taken = variables.find(({ name }) => optionNames.has(`--${name}`));
  if (taken !== undefined) {
    const { name, place } = taken;
    throw failureAt(place, `the variable ${name} has the name of an option of natter`, {
      hint: `choose a different name, or write \\{{${name}}} for the text`,
    });
  }
  const names = new Set(variables.map(({ name }) => `--${name}`));
  const options = line.map((word) => word.replace(/=.*/s, ''));
  const option = options.find((word) => chatOption.test(word) && !names.has(word));
  if (option === undefined) return;
  throw new Failure('usage', `natter run does not take ${option}`, {
    hint: 'for --split and --every, write the prompt itself; ‹natter -i --continue› goes on after the answer',
  });
}

/**
 * Runs `natter run`.
 * @param line the words after the name, and the variables as `--name value` or `--name=value`
 * @param optionNames the options that variables cannot have the names of: `--model`
 * @throws Failure, or the reason `context.signal` was aborted with
 */
export async function runPrompt(
  started: StartedRun<ChatOptions>,
  name: string,
  line: readonly string[],
  optionNames: ReadonlySet<string | undefined>,
): Promise<void> {
  const run = prepare(started);
  const { context, options, presentation } = run;
  const { signal } = context;
  const found = findPrompt(context, name, promptHint(name, line));
  const guard = openSecretGuard(run);
  const { messages: history, settings: own } = await readHistory(run, true, guard);
  const prompt = await loadPromptFile(found, signal, guard);
  for (const notice of prompt.notices) presentation.notices.notice(notice);
  refuseNames(prompt, beforeDashes(line), optionNames);
  const given = readArguments(prompt, line);
  const settings = withFileSettings(own, prompt);
  const contentOf = await readInserted(found, prompt, signal, guard);
  const [placed] = usesOf(prompt, 'stdin');
  const refuse =
    placed &&
    ((reason: string): never => {
      throw failureAt(placed.place, `{{${placed.name}}} needs text, but ${reason}`, {
        hint: `for example: ‹natter run ${prompt.file.name} < notes.txt›`,
      });
    });
  const hasPrompt = prompt.prompt.length > 0;
  const isPlaced = placed !== undefined || hasInputPlaceholder(options.system);
  const sources = await readSources({ ...run, guard }, line, { hasPrompt, isPlaced, refuse });
  // The system prompt of --system, or of the role of --role.
  const systemOption = isFlag(own.sources.system) ? own.values.system : undefined;
  const contents = { ...sources, given, contentOf, systemOption };
  const { prompt: text, system } = composeFile(prompt, contents);
  const ownSchema = await readOwnSchema(found, prompt, options, signal, guard);
  const from = settings.sources.system;
  const source = isFlag(from) ? from : sourceOf(prompt);
  const effective = system === undefined ? settings : withValues(settings, { system }, source);
  const sending = { ...run, settings: effective, guard, ownSchema, history, command: 'run' };
  await sendPrompt(sending, text);
}
