import { splitFrontMatter } from '../front-matter.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { nearlyNamed } from '../near-name.ts';
import { createLineCounter, failureAt, type SourceFile, placeText, type Place } from './place.ts';
import {
  type Part,
  splitText,
  type Template,
  textPart,
  parseTemplate,
  type Placeholder,
  placeholderNames,
  placeholdersOf,
  variableName,
} from './template.ts';
import type { YamlEntry } from './yaml-mapping.ts';

/** A variable as the front matter declares it, or as the text first mentions it. */
export interface Variable {
  readonly name: string;
  readonly place: Place;
  readonly description?: string;
  /** A variable without one is required. */
  readonly default?: string;
  readonly choices?: readonly string[];
}

const isScalarValue = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

function checkName(name: string, place: Place): void {
  if (!variableName.test(name)) {
    throw failureAt(place, `"${name}" is not the name of a variable`, {
      hint: 'a name has letters, digits, - and _, and starts with a letter',
    });
  }
  if (placeholderNames.includes(name)) {
    throw failureAt(place, `{{${name}}} is not a variable`, { hint: 'choose another name' });
  }
}

function readChoices({ value, place }: YamlEntry): readonly string[] {
  if (Array.isArray(value) && value.length > 0 && value.every(isScalarValue)) {
    return value.map(String);
  }
  throw failureAt(place, 'choices must be a list such as [ts, js]');
}

/** @throws Failure `usage` for a list, a mapping or nothing */
function readText({ value, place, key }: YamlEntry): string {
  if (isScalarValue(value)) return String(value);
  throw failureAt(place, `${key} must be text`);
}

function readVariable(entry: YamlEntry): Variable {
  const { key: name, value, entries, place } = entry;
  checkName(name, place);
  if (value === null) return { name, place };
  if (isScalarValue(value)) return { name, place, default: String(value) };
  if (Array.isArray(value)) return { name, place, choices: readChoices(entry) };
  const fields = entries.map((field): readonly [key: string, value: unknown] => {
    const { key } = field;
    if (key === 'description' || key === 'default') return [key, readText(field)];
    if (key === 'choices') return [key, readChoices(field)];
    throw failureAt(field.place, `the variable ${name} cannot have "${key}"`, {
      hint: 'it can have default, choices and description',
    });
  });
  const variable: Variable = { name, place, ...Object.fromEntries(fields) };
  const { default: text, choices } = variable;
  if (text === undefined || choices === undefined || choices.includes(text)) return variable;
  throw failureAt(place, `the default of ${name} is not one of its choices: ${choices.join(', ')}`);
}

/**
 * The declared variables: a mapping of names to a default, to a list of choices or to a description with both, or a list
 * of names. A variable without a default is required.
 * @throws Failure `usage`
 */
function readVariables({ value, entries, place }: YamlEntry): readonly Variable[] {
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) {
    for (const name of value) checkName(name, place);
    return value.map((name) => ({ name, place }));
  }
  if (typeof value === 'object' && !Array.isArray(value)) return entries.map(readVariable);
  throw failureAt(place, 'variables must be names with defaults or choices', {
    hint: 'for example: variables: { lang: [ts, js], tone: friendly }',
  });
}

interface Placed<Value> {
  readonly value: Value;
  readonly place: Place;
}

/** What a front matter sets for its prompt. Values of settings are unchecked text. */
interface FrontMatter {
  readonly description?: string;
  readonly model?: Placed<string>;
  readonly maxTokens?: Placed<string>;
  /** The place is where the text begins. */
  readonly system?: Placed<string>;
  readonly params?: readonly Placed<readonly [name: string, value: unknown]>[];
  readonly variables?: readonly Variable[];
  /** A JSON Schema, the concise notation, or the path of a file with one of them. Unchecked. */
  readonly schema?: Placed<string | JsonObject>;
  /** What the words after the name are, as in `[issue] [priority]`. */
  readonly argumentHint?: string;
}

/** A number that JSON has, and that JavaScript has not rounded. */
function isExact(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isExact);
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isExact);
  if (typeof value !== 'number') return true;
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}

function readParams({ value, entries, place }: YamlEntry): FrontMatter {
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw failureAt(place, 'params must be fields of the request with values', {
      hint: 'for example: params: { temperature: 0.2 }',
    });
  }
  const inexact = entries.find((entry) => !isExact(entry.value));
  if (inexact !== undefined) {
    throw failureAt(inexact.place, `natter cannot send the number in ${inexact.key} unchanged`, {
      hint: 'use at most 15 digits, or put the number in double quotes to send it as text',
    });
  }
  return {
    params: entries.map((entry) => ({ value: [entry.key, entry.value], place: entry.place })),
  };
}

function readSchema({ value, place }: YamlEntry): FrontMatter {
  if (typeof value === 'string' || isJsonObject(value)) return { schema: { value, place } };
  throw failureAt(place, 'schema must be a mapping, or text', {
    hint: 'for example: schema: "[name, age int]" with the quotes, or schema: person.json',
  });
}

/**
 * All that a prompt file can set, from a value that is not empty. Base URL, key, proxy, headers and other settings are
 * not in this table on purpose.
 */
const frontMatterKeys = new Map<string, (entry: YamlEntry) => FrontMatter>([
  ['description', (entry) => ({ description: readText(entry) })],
  ['model', (entry) => ({ model: { value: readText(entry), place: entry.place } })],
  ['system', (entry) => ({ system: { value: readText(entry), place: entry.textPlace } })],
  ['max-tokens', (entry) => ({ maxTokens: { value: readText(entry), place: entry.place } })],
  ['params', readParams],
  ['variables', (entry) => ({ variables: readVariables(entry) })],
  ['schema', readSchema],
  ['argument-hint', (entry) => ({ argumentHint: readText(entry) })],
]);

/** Keys of other programs, which change nothing in natter. */
const ignoredKeys: ReadonlySet<string> = new Set(
  [
    'name title author date created updated version license layout',
    'tags category categories keywords aliases id globs alwaysApply',
    'allowed-tools tools agent mode subtask context hooks effort color',
    'disable-model-invocation user-invocable when_to_use',
  ].flatMap((names) => names.split(' ')),
);

/** The ignored keys that name tools. */
const toolKeys = new Set(['allowed-tools', 'tools']);

/** Keys that only command files of coding agents have. */
const agentKeys = new Set([...toolKeys, 'disable-model-invocation', 'user-invocable', 'subtask']);

/** @throws Failure `usage` for a key that a prompt file may not have, or a bad value */
function readFrontMatter(entries: readonly YamlEntry[]): FrontMatter {
  const known = [...frontMatterKeys.keys()];
  const found = entries.map((entry): FrontMatter => {
    const { key, value, place } = entry;
    const read = frontMatterKeys.get(key);
    if (read !== undefined) return value === null ? {} : read(entry);
    if (ignoredKeys.has(key)) return {};
    const near = nearlyNamed(key, known);
    throw failureAt(place, `a prompt file cannot set "${key}"`, {
      hint: near === undefined ? `it can set ${known.join(', ')}` : `did you mean ${near}?`,
    });
  });
  return Object.assign({}, ...found) as FrontMatter;
}

/** A parsed prompt file. */
export interface PromptFile {
  readonly file: SourceFile;
  /** Who the file was written for: its name, its folder or its keys show it. */
  readonly format: 'markdown' | 'fabric' | 'agent' | 'llm';
  readonly front: Omit<FrontMatter, 'system'>;
  readonly system: Template | undefined;
  /** Empty if the file has only a system prompt. */
  readonly prompt: Template;
  /** What the file asks for and natter ignores, one sentence each. */
  readonly notices: readonly string[];
}

/** The text of a file to parse. */
export interface PromptSource {
  readonly file: SourceFile;
  readonly content: string;
}

/** The placeholders of a kind in a prompt, in the order of its texts: the system prompt is first. */
export const usesOf = (
  { system = [], prompt }: PromptFile,
  ...kinds: readonly Placeholder['kind'][]
): readonly Placeholder[] => placeholdersOf([...system, ...prompt], ...kinds);

/** Whether the words after the name have a place in the text; else they are appended. */
export const placesWords = (prompt: PromptFile): boolean =>
  usesOf(prompt, 'argument', 'arguments').length > 0;

/** Every variable: the declared ones, then those that only the text mentions, which are required. */
export function variablesOf(prompt: PromptFile): readonly Variable[] {
  const declared = prompt.front.variables ?? [];
  const found = new Map(declared.map((variable) => [variable.name, variable]));
  for (const { name, place } of usesOf(prompt, 'variable')) {
    if (!found.has(name)) found.set(name, { name, place });
  }
  return [...found.values()];
}

/**
 * Checks that a file that declares variables declares all that it uses.
 * @throws Failure `usage` with the file and the line
 */
export function checkDeclarations(prompt: PromptFile): void {
  const { variables } = prompt.front;
  if (variables === undefined || prompt.format === 'llm') return;
  const names = variables.map(({ name }) => name);
  const unknown = usesOf(prompt, 'variable').find(({ name }) => !names.includes(name));
  if (unknown === undefined) return;
  const { name, place } = unknown;
  throw failureAt(place, `{{${name}}} is not a variable of this prompt file`, {
    hint: `declare it under variables (${names.join(', ')}), or write \\{{${name}}} for the text`,
  });
}

/** Describes a variable for people: `language; one of ts, js; required`. */
export function variableDetails({ description, choices, default: value }: Variable): string {
  const details = [
    description,
    choices && `one of ${choices.join(', ')}`,
    value === undefined ? 'required' : `default ${value}`,
  ];
  return details.filter((detail) => detail !== undefined).join('; ');
}

/** A placeholder of Python's `string.Template`. */
const dollarName = /\$(?:(?<escaped>\$)|(?<name>[A-Za-z_]\w*)|\{(?<braced>[A-Za-z_]\w*)\})/g;

function parseDollars({ value, textPlace, key, place }: YamlEntry): Template {
  if (typeof value !== 'string') throw failureAt(place, `${key} must be text`);
  const { file, line: firstLine } = textPlace;
  return splitText(
    value.trimEnd(),
    firstLine,
    dollarName,
    ({ groups = {} }, line): readonly Part[] => {
      const { escaped, name = groups['braced'] ?? '' } = groups;
      if (escaped !== undefined) return [textPart('$')];
      return [{ kind: name === 'input' ? 'stdin' : 'variable', name, place: { file, line } }];
    },
  );
}

/** The keys of an `llm` template, with the key of a prompt file that has the same meaning. */
const llmKeys: ReadonlyMap<string, string | undefined> = new Map([
  ['prompt', undefined],
  ['system', undefined],
  ['model', 'model'],
  ['options', 'params'],
  ['defaults', 'variables'],
  ['schema_object', 'schema'],
]);

/** Its keys that natter ignores, with what natter does instead, or what is missing. */
const ignoredLlmKeys: ReadonlyMap<string, string | undefined> = new Map([
  ['name', undefined],
  ['extract', 'natter last --block 1 prints the first code block of the answer'],
  ['extract_last', 'natter last --block -1 prints the last code block of the answer'],
  ['tools', 'natter has no tools'],
  ['functions', 'natter has no tools'],
]);

/** Parses a template of `llm`. @throws Failure `usage` */
function parseLlmTemplate(entries: readonly YamlEntry[], file: SourceFile): PromptFile {
  const unknown = entries.find(({ key }) => !llmKeys.has(key) && !ignoredLlmKeys.has(key));
  if (unknown !== undefined) {
    throw failureAt(unknown.place, `natter cannot use "${unknown.key}" of an llm template`, {
      hint: `it can use ${[...llmKeys.keys()].join(', ')}`,
    });
  }
  const renamed = entries.flatMap((entry) => {
    const key = llmKeys.get(entry.key);
    return key === undefined ? [] : [{ ...entry, key }];
  });
  const notices = entries.flatMap(({ key, place }) => {
    const reason = ignoredLlmKeys.get(key);
    return reason === undefined ? [] : [`${placeText(place)}: ${key} is ignored: ${reason}`];
  });
  const find = (key: string) => entries.find((entry) => entry.key === key && entry.value !== null);
  const prompt = find('prompt');
  const system = find('system');
  if (prompt === undefined && system === undefined) {
    throw failureAt({ file, line: 1 }, 'an llm template needs prompt or system');
  }
  return {
    file,
    format: 'llm',
    front: readFrontMatter(renamed),
    system: system && parseDollars(system),
    prompt: prompt === undefined ? [] : parseDollars(prompt),
    notices,
  };
}

/** The folders of command files of coding agents. */
const agentFolder =
  /[\\/]\.(?:claude|opencode|codex|cursor|agents?)[\\/](?:commands?|prompts)[\\/]/;

/** The format that the name of a file shows. */
function formatOf(path: string): PromptFile['format'] {
  if (/\.ya?ml$/i.test(path)) return 'llm';
  if (/(?:^|[\\/])system\.md$/i.test(path)) return 'fabric';
  return agentFolder.test(path) ? 'agent' : 'markdown';
}

/** YAML is loaded only for a file that has some. */
async function readYaml(file: SourceFile, text: string, line: number) {
  const { readMapping } = await import('./yaml-mapping.ts');
  return readMapping(text, file, line);
}

/** A first line of dashes with a key below it. */
const openFront = /^(?:#![^\n]*\n)?---[ \t]*\r?\n(?<key>[a-z-]+):/;

async function readFront({ file, content }: PromptSource) {
  const split = splitFrontMatter(content);
  const { frontMatter, frontMatterLine: line } = split;
  const key = openFront.exec(content)?.groups?.['key'] ?? '';
  if (frontMatter === undefined && frontMatterKeys.has(key)) {
    // It would be sent as text.
    throw failureAt({ file, line }, 'the front matter has no end', {
      hint: 'write a line --- below it; a text may begin with a blank line before its ---',
    });
  }
  // Coding agents take `argument-hint: [issue] [priority]`, which is not YAML.
  const yaml = frontMatter?.replace(
    /^(?<key>argument-hint:[ \t]*)(?<hint>\[.*)$/m,
    (_, start: string, hint: string) => start + JSON.stringify(hint.trimEnd()),
  );
  const entries = yaml === undefined ? [] : await readYaml(file, yaml, line);
  const { body, bodyLine } = split;
  // A text between two rules of Markdown has no entries.
  const whole = { body: content.slice(content.indexOf('---')).trimEnd(), bodyLine: line - 1 };
  return {
    front: readFrontMatter(entries ?? []),
    isOfAgent: entries?.some(({ key: name }) => agentKeys.has(name)) === true,
    /** Where the file names tools. */
    tools: entries?.find(({ key: name }) => toolKeys.has(name))?.place,
    ...(entries === undefined ? whole : { body, bodyLine }),
  };
}

/** What looks like a variable with a default: `{{lang|ts}}`, `{{lang:ts}}`, `{{lang=ts}}`. */
const likeDefault =
  /(?<![\\$])\{\{[ \t]*(?!(?:file|include):)[A-Za-z_][\w-]*[ \t]*[|:=][^{}\n]*\}\}/;

/** A command that a coding agent would run, and replace by its output. */
const agentCommand = /(?<=^|\s)!`[^`\n]+`/;

/** A file that a coding agent or a conversation would attach. `@types/node` has no extension: it is a package. */
const mention = /(?<=^|[\s(])@(?:\$(?:ARGUMENTS|[1-9])|[\w~./-]*\w\.[A-Za-z]\w{0,4}(?![\w/]))/;

/** What the file asks for and natter does not do. */
function noticesOf(
  { front, tools, body, bodyLine }: Awaited<ReturnType<typeof readFront>>,
  isOfAgent: boolean,
  file: SourceFile,
): readonly string[] {
  const notices: string[] = [];
  const report = (place: Place, text: string) => notices.push(`${placeText(place)}: ${text}`);
  /** Reports the first match in the body. */
  const reportMatch = (pattern: RegExp, describe: (found: string) => string) => {
    const match = pattern.exec(body);
    if (match === null) return;
    const line = createLineCounter(body, bodyLine)(match.index);
    report({ file, line }, describe(match[0]));
  };
  if (isOfAgent && front.model !== undefined) {
    report(front.model.place, 'the model is that of a coding agent and is ignored');
  }
  if (isOfAgent && tools !== undefined && !agentCommand.test(body)) {
    report(tools, 'natter has no tools; the model gets only the text');
  }
  reportMatch(agentCommand, (found) => `natter runs no commands: ${found} is sent as text`);
  if (!isOfAgent) {
    const advice = 'a default is set under variables: in the front matter';
    reportMatch(likeDefault, (found) => `${found} is sent as text; ${advice}`);
  }
  reportMatch(mention, (found) => {
    const name = found.slice(1);
    const advice = name.startsWith('$') ? '-f attaches a file' : `{{file:${name}}} inserts it`;
    return `${found} is sent as text; ${advice}`;
  });
  return notices;
}

/** `$ARGUMENTS`, unless a backslash makes it text. */
const mentionsArguments = /(?<!\\)(?:\\\\)*\$ARGUMENTS\b/;

/**
 * Parses a prompt file. Includes are not resolved yet.
 * @param user the `user.md` beside the `system.md` of a fabric pattern
 * @throws Failure `usage` with the file and the line
 */
export async function parsePromptFile(
  source: PromptSource,
  user?: PromptSource,
): Promise<PromptFile> {
  const { file } = source;
  const named = formatOf(file.path);
  if (named === 'llm') {
    return parseLlmTemplate((await readYaml(file, source.content, 1)) ?? [], file);
  }
  const read = await readFront(source);
  const { system, model, ...others } = read.front;
  const format = named === 'markdown' && read.isOfAgent ? 'agent' : named;
  const { body, bodyLine: line } = read;
  const takesInput = format === 'fabric';
  const texts = [body, system?.value ?? ''];
  const takesArguments =
    format === 'agent' ||
    others.argumentHint !== undefined ||
    texts.some((text) => mentionsArguments.test(text));
  const parse = (text: string, place: Place) =>
    parseTemplate(text, place, { takesArguments, takesInput });
  const front = { ...others, ...(format !== 'agent' && model !== undefined && { model }) };
  const notices = noticesOf(read, format === 'agent', file);
  const text = parse(body, { file, line });
  // With a place for the input, a pattern is the whole prompt.
  const isWhole = placeholdersOf(text, 'stdin').length > 0;
  if (format === 'fabric' && system === undefined && !isWhole) {
    const prompt =
      user === undefined ? [] : parse(user.content.trim(), { file: user.file, line: 1 });
    return { file, format, front, system: text, prompt, notices };
  }
  const systemText = system && parse(system.value.trimEnd(), system.place);
  return { file, format, front, system: systemText, prompt: text, notices };
}
