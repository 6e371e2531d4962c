import { catalogue } from '../../client/contract.ts';
import { type Candidate, childNamed, files } from './tree.ts';
import type { CompletedCommand } from '../../run.ts';
import type { LibrarySection } from '../../conversation/library/library.ts';
import { definitions, settingKeys } from '../../settings/definitions.ts';
import { resolveFolders, type FolderFacts } from '../../settings/folders.ts';
import { knownProfiles } from '../../settings/profile-name.ts';
import { readStoredSettings } from '../../settings/settings-file.ts';

export interface CompletionRequest {
  readonly context: FolderFacts;
  readonly command: CompletedCommand;
  /** Its parents, the nearest first. */
  readonly above: readonly CompletedCommand[];
  /** The typed part of the word. */
  readonly typed: string;
  /** Operands before it. */
  readonly before: readonly string[];
}

type Source = (request: CompletionRequest) => readonly Candidate[] | Promise<readonly Candidate[]>;

const plain = (values: readonly string[]): readonly Candidate[] =>
  values.map((value) => ({ value, description: '' }));

export const commandCandidates = (commands: readonly CompletedCommand[]): readonly Candidate[] =>
  commands.map(({ name, summary }) => ({ value: name, description: summary }));

function storedSettings({ context }: CompletionRequest) {
  return readStoredSettings(resolveFolders(context).config, context.platform).stored;
}

const published: readonly Candidate[] = catalogue.map(({ id, purpose }) => ({
  value: id,
  description: purpose,
}));

/** The published models, those of profiles, and `auto`. A request to the service would delay the shell. */
const models: Source = (request) => {
  const unknown = Object.entries(storedSettings(request).settings.profiles).flatMap(
    ([name, { model }]) =>
      typeof model !== 'string' || published.some(({ value }) => value === model)
        ? []
        : [{ value: model, description: `of profile ${name}` }],
  );
  return [...published, { value: 'auto', description: 'the smallest that fits' }, ...unknown];
};

/** For a list with commas: the models not listed yet, and those of profiles as `profile:model`, or `profile:` without one. */
const modelList: Source = (request) => {
  const named = request.typed.split(',').slice(0, -1);
  const { profiles } = storedSettings(request).settings;
  const own = plain(
    Object.entries(profiles).map(([name, { model = '' }]) => `${name}:${String(model)}`),
  );
  return [...published, ...own]
    .filter(({ value }) => !named.includes(value))
    .map(({ value, description }) => ({ value: [...named, value].join(','), description }));
};

const profiles: Source = (request) => plain(knownProfiles(storedSettings(request)));

/** Loaded on demand, with the modules that read journals. */
async function conversations(
  { context, typed }: CompletionRequest,
  section: LibrarySection,
): Promise<readonly Candidate[]> {
  const { conversationCandidates } = await import('./conversations.ts');
  return conversationCandidates(context, typed, section);
}

const settingNames: readonly Candidate[] = settingKeys.map((key) => ({
  value: definitions[key].name,
  description: definitions[key].summary,
}));

/** Loaded on demand, with the keys of conversations. */
async function keyActions(): Promise<readonly Candidate[]> {
  const { keyBindings } = await import('../../repl/composer/keys/key-bindings.ts');
  return keyBindings.map(({ action, summary }) => ({
    value: `keys.${action}`,
    description: summary,
  }));
}

/** Loaded on demand, with the check of colours. */
const ownColors = () => import('../../settings/own-colors.ts');

/** Of `config paths`, loaded on demand, else of settings. */
const names: Source = async ({ command, typed }) => {
  if (command.name !== 'paths') {
    if (typed.startsWith('colors.')) {
      return (await ownColors()).coloredParts.map(({ name, summary }) => ({
        value: `colors.${name}`,
        description: summary,
      }));
    }
    return typed.startsWith('keys.') ? keyActions() : settingNames;
  }
  const { storedKinds } = await import('../config/stored-paths.ts');
  return storedKinds.map(({ name, summary }) => ({ value: name, description: summary }));
};

/** Loaded on demand, with the modules that read files. */
const roles: Source = async ({ context }) => {
  const { roleNames } = await import('../../settings/role.ts');
  return plain(roleNames(context));
};

const settingValue: Source = async (request) => {
  const key = settingKeys.find((candidate) => definitions[candidate].name === request.before[0]);
  if (key === 'model') return models(request);
  if (key === 'fallback') return modelList(request);
  if (key === 'role') return roles(request);
  if (key === undefined) {
    const isColor = request.before[0]?.startsWith('colors.') === true;
    return isColor ? plain(['default', ...(await ownColors()).colorNames]) : [];
  }
  const { name, words = [] } = definitions[key].type;
  return plain(name === 'true or false' ? ['true', 'false'] : words);
};

const helpWords: Source = async ({ command, above, before }) => {
  let group = above[0] ?? command;
  for (const word of before) {
    const child = childNamed(group, word);
    if (child === undefined) return [];
    group = child;
  }
  const named = commandCandidates(group.commands);
  if (before.length > 0) return named;
  const { topicRows } = await import('../help/topic-names.ts');
  return [
    ...named,
    ...topicRows.map(({ name, summary }) => ({ value: name, description: summary })),
  ];
};

/** Loaded on demand, with the modules that read prompt files. */
const promptFiles: Source = async ({ context, typed, before, command }) => {
  if (command.name === 'run' && before.length > 0) return [];
  const { promptFileCandidates } = await import('./prompt-files.ts');
  return promptFileCandidates(context, typed);
};

/** By the name of the option or argument; others have no candidates. */
const sources: ReadonlyMap<string, Source> = new Map<string, Source>([
  ['--model', models],
  ['--models', modelList],
  ['--fallback', modelList],
  ['--role', roles],
  ['--profile', profiles],
  ['--upstream-profile', profiles],
  ['--resume', (request) => conversations(request, 'conversations')],
  ['--stdin-encoding', () => plain(['utf-8', 'utf-16le', 'latin1', 'windows-1252', 'shift_jis'])],
  ['--every', () => plain(['200l', '30s', '64kb', '200l,30s'])],
  ['--file', () => [files]],
  ['--output', () => [files]],
  ['--schema', () => [files]],
  ['--since', () => plain(['today', '7d', '4w', '30d'])],
  ['--results', () => [files]],
  ['--scenario', () => [files]],
  ['file', () => [files]],
  ['files', () => [files]],
  ['results', () => [files]],
  ['--record', () => [files]],
  ['--replay', () => [files]],
  ['--speed', () => plain(['1', '10', 'max'])],
  ['model', models],
  ['profile', profiles],
  ['conversation', (request) => conversations(request, 'conversations')],
  [
    'conversations',
    (request) =>
      conversations(request, request.command.name === 'undelete' ? 'trash' : 'conversations'),
  ],
  ['prompt-file', promptFiles],
  ['name', names],
  ['value', settingValue],
  ['words', helpWords],
]);

/**
 * The candidates for the value of an option (`--model`) or an argument (`file`): its choices, else those for its name,
 * else the words of the setting with that name.
 * @throws Failure if they cannot be read
 */
export async function candidatesFor(
  request: CompletionRequest,
  name: string | undefined,
  choices: readonly string[] | undefined,
): Promise<readonly Candidate[]> {
  if (choices !== undefined) return plain(choices);
  const source = sources.get(name ?? '');
  if (source !== undefined) return source(request);
  const key = settingKeys.find((candidate) => `--${definitions[candidate].name}` === name);
  return key === undefined ? [] : plain(definitions[key].type.words ?? []);
}
