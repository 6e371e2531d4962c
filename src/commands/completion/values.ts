import { catalogue } from '../../client/contract.ts';
import { type Candidate, type Candidates, childNamed, type CompletedCommand } from './tree.ts';
import { topicNames } from '../program/command-line.ts';
import type { Context } from '../program/context.ts';
import type { LibrarySection } from '../../conversation/library/library.ts';
import { definitions, settingKeys } from '../../settings/definitions.ts';
import { resolveFolders } from '../../settings/folders.ts';
import { knownProfiles } from '../../settings/profile-name.ts';
import { readStoredSettings } from '../../settings/settings-file.ts';

/** What a source of candidates is asked. */
interface Asked {
  readonly context: Context;
  readonly command: CompletedCommand;
  /** The commands it belongs to, the nearest first. */
  readonly above: readonly CompletedCommand[];
  /** What is typed of the word. */
  readonly typed: string;
  /** Operands before it. */
  readonly before: readonly string[];
}

type Source = (asked: Asked) => Candidates | Promise<Candidates>;

type InstantSource = (asked: Asked) => readonly Candidate[];

const plain = (values: readonly string[]): readonly Candidate[] =>
  values.map((value) => ({ value, description: '' }));

/** Commands by their names. */
export const commandCandidates = (commands: readonly CompletedCommand[]): readonly Candidate[] =>
  commands.map(({ name, summary }) => ({ value: name, description: summary }));

function storedSettings({ context }: Asked) {
  return readStoredSettings(resolveFolders(context).config, context.platform).stored;
}

const published: readonly Candidate[] = catalogue.map(({ id, purpose }) => ({
  value: id,
  description: purpose,
}));

/** The profiles that name a model, each with it. */
function profileModels(asked: Asked): readonly (readonly [profile: string, model: string])[] {
  const { profiles } = storedSettings(asked).settings;
  return Object.entries(profiles).flatMap(([name, { model }]) =>
    typeof model === 'string' ? [[name, model] as const] : [],
  );
}

/** The published models, those that profiles name, and `auto`: asking a service would keep the shell waiting. */
const models: InstantSource = (asked) => {
  const unknown = profileModels(asked)
    .filter(([, model]) => published.every(({ value }) => value !== model))
    .map(([name, model]) => ({ value: model, description: `of profile ${name}` }));
  return [...published, { value: 'auto', description: 'the smallest that fits' }, ...unknown];
};

/** The last model of a list with commas: those not named yet, and the models of profiles as `profile:model`. */
const modelList: Source = (asked) => {
  const named = asked.typed.split(',').slice(0, -1);
  const own = plain(profileModels(asked).map(([name, model]) => `${name}:${model}`));
  return [...published, ...own]
    .filter(({ value }) => !named.includes(value))
    .map(({ value, description }) => ({ value: [...named, value].join(','), description }));
};

const profiles: Source = (asked) => plain(knownProfiles(storedSettings(asked)));

/** Loaded when they are asked for: they bring along what reads journals. */
async function conversations(
  { context, typed }: Asked,
  section: LibrarySection,
): Promise<Candidates> {
  const { conversationCandidates } = await import('./conversations.ts');
  return conversationCandidates(context, typed, section);
}

const settingNames: Source = () =>
  settingKeys.map((key) => ({
    value: definitions[key].name,
    description: definitions[key].summary,
  }));

const settingValue: Source = (asked) => {
  const key = settingKeys.find((candidate) => definitions[candidate].name === asked.before[0]);
  if (key === 'model') return models(asked);
  return key !== undefined && definitions[key].type.name === 'true or false'
    ? plain(['true', 'false'])
    : [];
};

const helpWords: Source = ({ command, above, before }) => {
  let group = above[0] ?? command;
  for (const word of before) {
    const child = childNamed(group, word);
    if (child === undefined) return [];
    group = child;
  }
  const named = commandCandidates(group.commands);
  return before.length === 0 ? [...named, ...plain(topicNames)] : named;
};

/** By the name of the option or argument; what is not here has no candidates. */
const sources: ReadonlyMap<string, Source> = new Map<string, Source>([
  ['--model', models],
  ['--models', modelList],
  ['--profile', profiles],
  ['--upstream-profile', profiles],
  ['--resume', (asked) => conversations(asked, 'conversations')],
  ['--stdin-encoding', () => plain(['utf-8', 'utf-16le', 'latin1', 'windows-1252', 'shift_jis'])],
  ['--file', () => 'files'],
  ['--output', () => 'files'],
  ['--scenario', () => 'files'],
  ['file', () => 'files'],
  ['files', () => 'files'],
  ['--record', () => 'files'],
  ['--replay', () => 'files'],
  ['--speed', () => plain(['1', '10', 'max'])],
  ['model', models],
  ['profile', profiles],
  ['conversation', (asked) => conversations(asked, 'conversations')],
  [
    'conversations',
    (asked) => conversations(asked, asked.command.name === 'undelete' ? 'trash' : 'conversations'),
  ],
  ['name', settingNames],
  ['value', settingValue],
  ['words', helpWords],
]);

/**
 * What may follow as the value of an option (`--model`), or as an argument (`file`): one of its choices, or what its
 * name stands for. @throws Failure where it cannot be read
 */
export async function candidatesFor(
  asked: Asked,
  name: string | undefined,
  choices: readonly string[] | undefined,
): Promise<Candidates> {
  if (choices !== undefined) return plain(choices);
  return sources.get(name ?? '')?.(asked) ?? [];
}
