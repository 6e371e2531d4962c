import { catalogue } from '../../client/contract.ts';
import { definitions, settingKeys } from '../../settings/definitions.ts';
import { resolveFolders } from '../../settings/folders.ts';
import { colorNames } from '../../settings/own-colors.ts';
import { knownProfiles } from '../../settings/profile-name.ts';
import { readStoredSettings } from '../../settings/settings-file.ts';
import { topicRows } from '../../commands/help/topic-names.ts';
import {
  type Candidate,
  childNamed,
  type CompletionRequest,
  files,
  plain,
  rowCandidates,
  type Source,
} from './tree.ts';

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

const stored = () => import('./stored-values.ts');
const conversations: Source = async (request) => (await stored()).conversations(request);
const promptFiles: Source = async (request) => (await stored()).promptFiles(request);
const roles: Source = async (request) => (await stored()).roles(request);

/** Names of `config paths`, else of settings. */
const names: Source = async (request) => {
  const { command, typed } = request;
  const isStored = command.name === 'paths' || /^(?:colors|keys)\./.test(typed);
  if (isStored) return (await stored()).storedNames(request);
  return rowCandidates(settingKeys.map((key) => definitions[key]));
};

const settingValue: Source = (request) => {
  const [setting = ''] = request.before;
  const key = settingKeys.find((candidate) => definitions[candidate].name === setting);
  if (key === 'model') return models(request);
  if (key === 'fallback') return modelList(request);
  if (key === 'role') return roles(request);
  if (key === undefined) {
    return setting.startsWith('colors.') ? plain(['default', ...colorNames]) : [];
  }
  const { name, words = [] } = definitions[key].type;
  return plain(name === 'true or false' ? ['true', 'false'] : words);
};

const helpWords: Source = ({ command, above, before }) => {
  let group = above[0] ?? command;
  for (const word of before) {
    const child = childNamed(group, word);
    if (child === undefined) return [];
    group = child;
  }
  return rowCandidates([...group.commands, ...(before.length > 0 ? [] : topicRows)]);
};

/** By the name of the option or argument; others have no candidates. */
const sources: ReadonlyMap<string, Source> = new Map<string, Source>([
  ['--model', models],
  ['--models', modelList],
  ['--fallback', modelList],
  ['--role', roles],
  ['--profile', profiles],
  ['--upstream-profile', profiles],
  ['--resume', conversations],
  ['--stdin-encoding', () => plain(['utf-8', 'utf-16le', 'latin1', 'windows-1252', 'shift_jis'])],
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
]);

/** Options and arguments that take the path of a file. */
const fileNames: ReadonlySet<string> = new Set(
  '--file --output --record --replay --results --scenario --schema file files results'.split(' '),
);

/**
 * The candidates for the value of an option (`--model`) or an argument (`file`): its choices, else those for its name,
 * else the words of the setting with that name.
 * @throws Failure if they cannot be read
 */
export async function candidatesFor(
  request: CompletionRequest,
  name = '',
  choices?: readonly string[],
): Promise<readonly Candidate[]> {
  if (choices !== undefined) return plain(choices);
  if (fileNames.has(name)) return [files];
  const source = sources.get(name);
  if (source !== undefined) return source(request);
  const key = settingKeys.find((candidate) => `--${definitions[candidate].name}` === name);
  return key === undefined ? [] : plain(definitions[key].type.words ?? []);
}
