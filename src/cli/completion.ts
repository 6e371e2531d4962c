// What a shell offers for the word under the cursor: commands, options, and the values of options and arguments.
import path from 'node:path';
import { type Command, Option } from 'commander';
import { catalogue } from '../client/contract.ts';
import { storedKinds } from '../commands/config/command.ts';
import { topicRows } from '../commands/help/topic-names.ts';
import { dataFolder } from '../ask/open-conversation.ts';
import { loadPromptFile } from '../input/load-prompt-file.ts';
import { listEntries, readListed } from '../conversation/library/library.ts';
import { Failure } from '../failure.ts';
import { type FoundPrompt, listPrompts, lookUpPrompt } from '../prompt-files/find-prompt.ts';
import { variablesOf } from '../prompt-files/prompt-file.ts';
import { silentNotices } from '../output/notices.ts';
import { keyBindings } from '../repl/composer/keys/key-bindings.ts';
import { definitions, settingKeys } from '../settings/definitions.ts';
import { coloredParts, colorNames } from '../settings/setting-name.ts';
import { knownProfiles } from '../settings/profiles.ts';
import { readStored } from '../settings/settings-file.ts';
import { roleNames } from '../settings/role.ts';
import { childNamed, defaultCommand, optionSources, helpOf } from './help-details.ts';
import type { Context } from '../run.ts';
import { sanitizeLine } from '../terminal/safety/sanitizer.ts';
import { serviceGroup } from './options.ts';

interface Candidate {
  readonly name: string;
  readonly summary: string;
}

/** Makes the shell add its own completion of paths, alone or after other candidates. */
const files: Candidate = { name: ':files', summary: '' };

interface CompletionRequest {
  readonly context: Context;
  readonly command: Command;
  readonly typed: string;
  readonly before: readonly string[];
}

type Source = (request: CompletionRequest) => readonly Candidate[] | Promise<readonly Candidate[]>;

const plain = (values: readonly string[]): readonly Candidate[] =>
  values.map((name) => ({ name, summary: '' }));

function commandCandidates(command: Command): readonly Candidate[] {
  const children = command.createHelp().visibleCommands(command);
  return children.map((child) => ({ name: child.name(), summary: child.summary() }));
}

/** Undefined for a prompt file that cannot be used: a shell shows no failures. */
const load = (found: FoundPrompt, signal: AbortSignal) =>
  loadPromptFile(found, signal).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    return undefined;
  });

/** Characters that run or change something in a shell; bash and PowerShell insert candidates without quotes. */
const special = /[$`;&|<>()!\\"']/;

/**
 * The names of prompt files with their descriptions. The shell completes paths too, if no name fits or a path is typed.
 */
const promptFiles: Source = async ({ context, typed, before, command }) => {
  if (command.name() === 'run' && before.length > 0) return [];
  const isPath = typed.startsWith('.') || path.isAbsolute(typed) || typed.includes(path.sep);
  // Names come from whoever wrote the project: one with a command in it, or that is an option, must be typed.
  const found = listPrompts(context).filter(
    ({ name }) => name.startsWith(typed) && !special.test(name) && !name.startsWith('-'),
  );
  const candidates: Candidate[] = [];
  for (const one of found) {
    const { front } = (await load(one, context.signal)) ?? {};
    candidates.push({ name: one.name, summary: front?.description ?? '' });
  }
  return isPath || candidates.length === 0 ? [...candidates, files] : candidates;
};

async function addVariables(context: Context, command: Command, name: string): Promise<void> {
  const found = lookUpPrompt(context, name);
  const prompt = found && (await load(found, context.signal));
  const variables = prompt === undefined ? [] : variablesOf(prompt);
  for (const { name: variable, description, choices, default: value } of variables) {
    const flag = `--${variable}`;
    if (findOption(command, flag) !== undefined) continue;
    const option = new Option(`${flag} <text>`, description ?? value ?? 'variable');
    command.addOption(option.choices(choices?.filter((choice) => !special.test(choice)) ?? []));
  }
}

/** Each conversation is read for its title. */
const maxConversations = 30;

/** The conversations whose ids start with the typed text, newest first, after `latest`. */
const conversations: Source = ({ context, typed, command }) => {
  const section = command.name() === 'undelete' ? 'trash' : 'conversations';
  const entries = listEntries(dataFolder(context), section).filter(({ id }) =>
    id.startsWith(typed),
  );
  if (entries.length === 0) return [];
  const found = Array.from(readListed(entries.slice(0, maxConversations)), ({ id, title }) => ({
    name: id,
    summary: title,
  }));
  return [{ name: 'latest', summary: 'most recent conversation' }, ...found];
};

const roles: Source = ({ context }) => plain(roleNames(context));

/** A shell shows no warnings. */
const storedSettings = ({ context }: CompletionRequest) => readStored(context, silentNotices);

const published: readonly Candidate[] = catalogue.map(({ id, purpose }) => ({
  name: id,
  summary: purpose,
}));

/** The published models, those of profiles, and `auto`. A request to the service would delay the shell. */
const models: Source = (request) => {
  const unknown = Object.entries(storedSettings(request).settings.profiles).flatMap(
    ([name, { model }]) =>
      typeof model !== 'string' || published.some((one) => one.name === model)
        ? []
        : [{ name: model, summary: `of profile ${name}` }],
  );
  return [...published, { name: 'auto', summary: 'the smallest that fits' }, ...unknown];
};

/** Completes a list with commas: the models not listed yet, and those of profiles as `profile:model`, or `profile:` without one. */
const modelList: Source = (request) => {
  const named = request.typed.split(',').slice(0, -1);
  const { profiles } = storedSettings(request).settings;
  const own = plain(
    Object.entries(profiles).map(([name, { model = '' }]) => `${name}:${String(model)}`),
  );
  return [...published, ...own]
    .filter(({ name }) => !named.includes(name))
    .map(({ name, summary }) => ({ name: [...named, name].join(','), summary }));
};

const profiles: Source = (request) => plain(knownProfiles(storedSettings(request)));

/** Names of `config paths`, else of settings. */
const names: Source = ({ command, typed }) => {
  if (command.name() === 'paths') return storedKinds;
  if (typed.startsWith('colors.')) {
    return coloredParts.map(({ name, summary }) => ({ name: `colors.${name}`, summary }));
  }
  if (!typed.startsWith('keys.')) return settingKeys.map((key) => definitions[key]);
  return keyBindings.map(({ action, summary }) => ({ name: `keys.${action}`, summary }));
};

const settingValue: Source = (request) => {
  const [setting = ''] = request.before;
  const key = settingKeys.find((candidate) => definitions[candidate].name === setting);
  if (key === 'model') return models(request);
  if (key === 'fallback') return modelList(request);
  if (key === 'role') return roles(request);
  if (key === undefined) return setting.startsWith('colors.') ? plain(colorNames) : [];
  const { name, words: args = [] } = definitions[key].type;
  return plain(name === 'true or false' ? ['true', 'false'] : args);
};

const helpWords: Source = ({ command, before }) => {
  let group = command.parent ?? command;
  for (const word of before) {
    const child = childNamed(group, word);
    if (child === undefined) return [];
    group = child;
  }
  return [...commandCandidates(group), ...(before.length > 0 ? [] : topicRows)];
};

const fileNames = '--file --messages --output --record --replay --results --scenario --schema';

/** The candidates by the name of the option or argument; others have none. */
const sources: ReadonlyMap<string, Source> = new Map<string, Source>([
  ['--model', models],
  ['--models', modelList],
  ['--fallback', modelList],
  ['--role', roles],
  ['--profile', profiles],
  ['--upstream-profile', profiles],
  ['--resume', conversations],
  ['--stdin-encoding', () => plain(['utf-8', 'utf-16le', 'latin1', 'windows-1252', 'shift_jis'])],
  ['--extract', () => plain(['1', '2', 'last'])],
  ['-M', () => plain(['system:', 'user:', 'assistant:'])],
  ['--every', () => plain(['200l', '30s', '64kb', '200l,30s'])],
  ['--since', () => plain(['today', '7d', '4w', '30d'])],
  ['--speed', () => plain(['1', '10', 'max'])],
  ['model', models],
  ['profile', profiles],
  ['conversation', conversations],
  ['conversations', conversations],
  ['prompt-file', promptFiles],
  ['name', names],
  ['value', settingValue],
  ['words', helpWords],
  ...`${fileNames} file files results`.split(' ').map((name) => [name, () => [files]] as const),
]);

/**
 * The candidates for the value of an option (`--model`) or an argument (`file`): its choices, else those for its name,
 * else the words of the setting with that name.
 * @throws Failure if they cannot be read
 */
async function candidatesFor(
  request: CompletionRequest,
  name = '',
  choices?: readonly string[],
): Promise<readonly Candidate[]> {
  if (choices !== undefined) return plain(choices);
  const source = sources.get(name);
  if (source !== undefined) return source(request);
  const key = settingKeys.find((candidate) => `--${definitions[candidate].name}` === name);
  return key === undefined ? [] : plain(definitions[key].type.words ?? []);
}

const nameOf = ({ long, short }: Option): string => long ?? short ?? '';

function optionsAt(command: Command): readonly Option[] {
  const help = command.createHelp();
  const found = new Map<string, Option>();
  for (const option of optionSources(command).flatMap((one) => help.visibleOptions(one))) {
    const isOfService = option.helpGroupHeading === serviceGroup;
    const isValid = !helpOf(command).hidesServiceOptions || !isOfService;
    if (isValid && !found.has(nameOf(option))) found.set(nameOf(option), option);
  }
  return [...found.values()];
}

const findOption = (command: Command, word: string): Option | undefined =>
  optionsAt(command).find(({ long, short }) => word === long || word === short);

function readWords(program: Command, args: readonly string[]) {
  let command = program;
  const operands: string[] = [];
  /** The option whose value the next word is. */
  let awaiting: Option | undefined;
  let ended = false;
  for (const word of args) {
    const isValue = awaiting !== undefined && (awaiting.required || !word.startsWith('-'));
    awaiting = undefined;
    if (isValue) continue;
    if (ended || !word.startsWith('-') || word === '-') {
      const child = operands.length === 0 ? childNamed(command, word) : undefined;
      if (child === undefined) operands.push(word);
      command = child ?? defaultCommand(command) ?? command;
    } else if (word === '--') ended = true;
    else {
      const option = findOption(command, word);
      if (option?.required === true || option?.optional === true) awaiting = option;
    }
  }
  return { command, operands, awaiting, ended };
}

/**
 * @param args the words between `natter` and the one under the cursor
 * @param current the typed part of that one
 */
async function candidatesAt(
  context: Context,
  program: Command,
  args: readonly string[],
  current: string,
): Promise<readonly Candidate[]> {
  let read = readWords(program, args);
  const [promptFile] = read.operands;
  if (read.command.name() === 'run' && promptFile !== undefined) {
    await addVariables(context, read.command, promptFile);
    read = readWords(program, args);
  }
  const { command, operands, awaiting, ended } = read;
  const isOption = !ended && current.startsWith('-');
  /** @param prefix `--model=`, if the value is in the same word */
  const valuesOf = async (option: Option, prefix = '') => {
    const typed = current.slice(prefix.length);
    const request = { context, command: program, typed, before: [] };
    const found = await candidatesFor(request, nameOf(option), option.argChoices);
    return found.map((one) => (one === files ? one : { ...one, name: prefix + one.name }));
  };
  if (awaiting !== undefined && (awaiting.required || !isOption)) return valuesOf(awaiting);
  if (isOption) {
    const name = /^(?<name>--[^=]+)=/.exec(current)?.groups?.['name'];
    const assigned = name === undefined ? undefined : findOption(command, name);
    if (assigned !== undefined) return valuesOf(assigned, `${name}=`);
    return optionsAt(command).map((one) => ({ name: nameOf(one), summary: one.description }));
  }
  const { registeredArguments: known } = command;
  const last = known.at(-1);
  const argument = known[operands.length] ?? (last?.variadic === true ? last : undefined);
  const request = { context, command, typed: current, before: operands };
  const found = await candidatesFor(request, argument?.name(), argument?.argChoices);
  const commands = operands.length === 0 && !ended ? commandCandidates(command) : [];
  return [...commands, ...found];
}

/**
 * Prints the candidates for the last word, one a line: the word, a tab and its meaning. A last line `:files` means paths.
 * @param args of the line without natter; the last has `=` before it, because Windows PowerShell drops empty arguments
 */
export async function printCompletions(
  context: Context,
  program: Command,
  args: readonly string[],
): Promise<void> {
  const current = (args.at(-1) ?? '=').replace(/^=/, '');
  const before = args.slice(0, -1);
  const found = await candidatesAt(context, program, before, current);
  const fitting = found.filter(
    (one) => one === files || (one.name.startsWith(current) && one.name === sanitizeLine(one.name)),
  );
  const lines = fitting.map(({ name, summary }) => {
    // Titles are from prompts and ids from files: the shell must get them as plain text.
    const text = sanitizeLine(summary).replaceAll('\t', ' ').trim();
    return text === '' ? `${name}\n` : `${name}\t${text}\n`;
  });
  await context.streams.stdout.write(lines.join(''));
}
