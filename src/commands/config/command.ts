import { Command } from 'commander';
import { definitions, settingKeys } from '../../settings/definitions.ts';
import { families } from '../../settings/setting-name.ts';
import { setAction, setExamples, helpOf, type HelpRow } from '../../cli/help-details.ts';
import { decapitalize, settingText, jsonOption } from '../../cli/options.ts';
import { sectionFolder, dataVariable } from '../../conversation/library/conversation-folder.ts';
import { Failure } from '../../failure.ts';
import { ledgerFolder } from '../../usage/ledger.ts';
import { type FolderFacts, resolveCacheFolder, resolveFolders } from '../../settings/folders.ts';
import { configVariable, settingsPath } from '../../settings/settings-file.ts';

/** The variables that set the folders on every platform, without a home folder too. */
const variables = {
  config: configVariable,
  data: dataVariable,
  state: 'NATTER_STATE_DIR',
  cache: 'XDG_CACHE_HOME',
} as const;

const kind = (
  name: string,
  summary: string,
  folder: keyof typeof variables,
  pathIn = (path: string): string => path,
) => ({ name, summary, folder, pathIn });

export const storedKinds = [
  kind('settings', 'settings file', 'config', (folder) => settingsPath(folder, 'config')),
  kind('credentials', 'file of the keys', 'config', (folder) =>
    settingsPath(folder, 'credentials'),
  ),
  kind('conversations', 'saved conversations', 'data', (data) => sectionFolder(data)),
  kind('trash', 'deleted conversations', 'data', (data) => sectionFolder(data, 'trash')),
  kind('usage', 'ledger of requests', 'state', ledgerFolder),
  kind('state', 'prompt history, drafts, windows', 'state'),
  kind('cache', 'compiled code', 'cache'),
];

/** All paths, absolute, without those that depend on an unknown home folder. @throws Failure */
export function storedPaths(facts: FolderFacts) {
  const folders = { ...resolveFolders(facts), cache: resolveCacheFolder(facts) };
  return storedKinds.flatMap(({ name, folder, pathIn }) => {
    const place = folders[folder];
    return place === undefined ? [] : [{ name, path: pathIn(place) }];
  });
}

/** The absolute path of a file or folder that may not exist yet. @throws Failure `not_found` for an unknown name, `storage` without a home folder */
export function findStoredPath(facts: FolderFacts, name: string) {
  const found = storedPaths(facts).find((stored) => stored.name === name);
  if (found !== undefined) return found;
  const known = storedKinds.find((candidate) => candidate.name === name);
  if (known === undefined) {
    throw new Failure('not_found', `there is no path named ${JSON.stringify(name)}`, {
      hint: `the names are ${storedKinds.map((one) => one.name).join(', ')}`,
    });
  }
  throw new Failure('storage', `the path of the ${name} is unknown: there is no home folder`, {
    hint: `set ${variables[known.folder]}`,
  });
}

const load = () => import('./run.ts');

/** Every setting with its values, default and variable. */
export const settingRows: readonly HelpRow[] = [
  ...settingKeys.map((key) => {
    const { name, type, variable, default: value } = definitions[key];
    const switched = typeof value === 'boolean' ? `, default ${value}` : '';
    const text = settingText(key).replace(/, default true$/, '');
    return { term: `${name} <${type.name}>`, description: `${text}${switched} [${variable}]` };
  }),
  ...Object.values(families).map(({ form, type, summary }) => ({
    term: `${form} <${type}>`,
    description: decapitalize(summary),
  })),
];

export function buildConfig(): Command {
  const list = new Command('list')
    .summary('list the settings in force with the source of each')
    .addOption(jsonOption());
  setAction(list, async () => (await load()).listSettings);
  const get = new Command('get')
    .argument('<name>', 'name of the setting')
    .summary('print one setting in force')
    .addOption(jsonOption());
  setAction(get, async () => (await load()).getSetting);
  const keys = new Command('keys')
    .summary('list the actions of conversations with their keys')
    .addOption(jsonOption());
  setAction(keys, async () => (await load()).listKeys);
  const profiles = new Command('profiles')
    .summary('list the profiles; the current one is marked')
    .addOption(jsonOption());
  setAction(profiles, async () => (await load()).listProfiles);
  setExamples(list, ['natter config list', 'natter config list --json']);
  setExamples(get, ['natter config get model']);
  setExamples(keys, ['natter config keys', 'natter config keys --json']);
  setExamples(profiles, ['natter config profiles']);
  const path = new Command('path').summary('print the path of the settings file');
  setAction(path, async () => (await load()).showPath);
  const paths = new Command('paths')
    .argument('[name]', `one of ${storedKinds.map(({ name }) => name).join(', ')} (default: all)`)
    .summary('print where natter keeps its files, whether they exist yet or not')
    .addOption(jsonOption());
  setAction(paths, async () => (await load()).showPaths);
  setExamples(path, ['cat "$(natter config path)"']);
  setExamples(paths, [
    'natter config paths',
    'ls "$(natter config paths conversations)"',
    'natter config paths --json',
  ]);
  const set = new Command('set')
    .argument('<name>', 'name of the setting, such as model or params.temperature')
    .argument('<value>', 'value; JSON for params')
    .summary('set a value in the profile');
  setAction(set, async () => (await load()).setSetting);
  const unset = new Command('unset')
    .argument('<name>', 'name of the setting')
    .summary('remove a value from the profile');
  setAction(unset, async () => (await load()).unsetSetting);
  const use = new Command('use')
    .argument('<profile>', 'name of the profile')
    .summary('make a profile the current one');
  setAction(use, async () => (await load()).useProfile);
  const remove = new Command('remove-profile')
    .argument('<profile>', 'name of the profile')
    .summary('remove a profile and its key');
  setAction(remove, async () => (await load()).removeProfile);
  setExamples(set, [
    'natter config set model nextgen',
    'natter config set base-url http://127.0.0.1:8080 --profile local',
    'natter config set params.temperature 0.2',
    'natter config set keys.search-start "ctrl+r alt+r"',
    'natter config set colors.heading "bright-blue bold"',
  ]);
  helpOf(set).list = { heading: 'Settings:', rows: settingRows, isInShortHelp: true };
  setExamples(unset, ['natter config unset model']);
  setExamples(use, ['natter config use work']);
  setExamples(remove, ['natter config remove-profile work']);
  const command = new Command('config').summary('show and change settings and profiles');
  const readers = [list, get, keys, path, paths, profiles];
  for (const child of [...readers, set, unset, use, remove]) command.addCommand(child);
  return setExamples(command, ['natter config list', 'natter config set model nextgen']);
}
