import { Command } from 'commander';
import { definitions, settingKeys } from '../../settings/definitions.ts';
import { settingFamilies } from '../../settings/setting-name.ts';
import type { Action, Context, GlobalOptions, JsonOptions } from '../../run.ts';
import { settingText } from '../program/global-options.ts';
import { setExamples, setHelpList, type HelpRow } from '../program/help-details.ts';
import { storedKinds } from './stored-paths.ts';

export interface RunConfig {
  readonly list: Action<JsonOptions>;
  readonly get: Action<JsonOptions, [name: string]>;
  readonly set: Action<GlobalOptions, [name: string, value: string]>;
  readonly unset: Action<GlobalOptions, [name: string]>;
  readonly keys: Action<JsonOptions>;
  readonly path: Action<GlobalOptions>;
  readonly paths: Action<JsonOptions, [name: string | undefined]>;
  readonly use: Action<GlobalOptions, [profile: string]>;
  readonly profiles: Action<JsonOptions>;
  readonly remove: Action<GlobalOptions, [profile: string]>;
}

const load = () => import('./run.ts');

const runConfig: RunConfig = {
  list: async (...words) => (await load()).listSettings(...words),
  get: async (...words) => (await load()).getSetting(...words),
  set: async (...words) => (await load()).setSetting(...words),
  unset: async (...words) => (await load()).unsetSetting(...words),
  keys: async (...words) => (await load()).listKeys(...words),
  path: async (...words) => (await load()).showPath(...words),
  paths: async (...words) => (await load()).showPaths(...words),
  use: async (...words) => (await load()).useProfile(...words),
  profiles: async (...words) => (await load()).listProfiles(...words),
  remove: async (...words) => (await load()).removeProfile(...words),
};

/** Every setting with its values, default and variable. */
export const settingRows: readonly HelpRow[] = [
  ...settingKeys.map((key) => {
    const { name, type, variable, default: value } = definitions[key];
    const switched = typeof value === 'boolean' ? `, default ${value}` : '';
    const text = settingText(key).replace(/, default true$/, '');
    return { term: `${name} <${type.name}>`, description: `${text}${switched} [${variable}]` };
  }),
  ...settingFamilies.map(({ name, type, summary }) => ({
    term: `${name} <${type}>`,
    description: summary.charAt(0).toLowerCase() + summary.slice(1),
  })),
];

const json = ['--json', 'print JSON'] as const;

const pathNames = storedKinds.map(({ name }) => name);

function buildPaths(context: Context, run: RunConfig): readonly Command[] {
  const path = new Command('path')
    .summary('print the path of the settings file')
    .description('Prints the path of the settings file.');
  path.action(() => run.path(context, path.optsWithGlobals()));
  const paths = new Command('paths')
    .argument('[name]', `one of ${pathNames.join(', ')} (default: all)`)
    .summary('print where natter keeps its files')
    .description('Prints where natter keeps its files, whether they exist yet or not.')
    .option(...json);
  paths.action((name?: string) => run.paths(context, paths.optsWithGlobals(), name));
  setExamples(path, ['cat "$(natter config path)"']);
  setExamples(paths, [
    'natter config paths',
    'ls "$(natter config paths conversations)"',
    'natter config paths --json',
  ]);
  return [path, paths];
}

function buildReaders(context: Context, run: RunConfig): readonly Command[] {
  const list = new Command('list')
    .summary('list the settings in force')
    .description('Lists the settings in force with the source of each.')
    .option(...json);
  list.action(() => run.list(context, list.optsWithGlobals()));
  const get = new Command('get')
    .argument('<name>', 'name of the setting')
    .summary('print one setting')
    .description('Prints one setting in force.')
    .option(...json);
  get.action((name: string) => run.get(context, get.optsWithGlobals(), name));
  const keys = new Command('keys')
    .summary('list the keys of conversations')
    .description('Lists the actions of conversations with their keys.')
    .option(...json);
  keys.action(() => run.keys(context, keys.optsWithGlobals()));
  const profiles = new Command('profiles')
    .summary('list the profiles')
    .description('Lists the profiles; the current one is marked.')
    .option(...json);
  profiles.action(() => run.profiles(context, profiles.optsWithGlobals()));
  setExamples(list, ['natter config list', 'natter config list --json']);
  setExamples(get, ['natter config get model']);
  setExamples(keys, ['natter config keys', 'natter config keys --json']);
  setExamples(profiles, ['natter config profiles']);
  return [list, get, keys, ...buildPaths(context, run), profiles];
}

function buildWriters(context: Context, run: RunConfig): readonly Command[] {
  const set = new Command('set')
    .argument('<name>', 'name of the setting, such as model or params.temperature')
    .argument('<value>', 'value; JSON for params')
    .summary('set a value')
    .description('Sets a value in the profile.');
  set.action((name: string, value: string) => run.set(context, set.optsWithGlobals(), name, value));
  const unset = new Command('unset')
    .argument('<name>', 'name of the setting')
    .summary('remove a value')
    .description('Removes a value from the profile.');
  unset.action((name: string) => run.unset(context, unset.optsWithGlobals(), name));
  const use = new Command('use')
    .argument('<profile>', 'name of the profile')
    .summary('make a profile the current one')
    .description('Makes a profile the current one.');
  use.action((profile: string) => run.use(context, use.optsWithGlobals(), profile));
  const remove = new Command('remove-profile')
    .argument('<profile>', 'name of the profile')
    .summary('remove a profile and its key')
    .description('Removes a profile and its key.');
  remove.action((profile: string) => run.remove(context, remove.optsWithGlobals(), profile));
  setExamples(set, [
    'natter config set model nextgen',
    'natter config set base-url http://127.0.0.1:8080 --profile local',
    'natter config set params.temperature 0.2',
    'natter config set keys.search-start "ctrl+r alt+r"',
    'natter config set colors.heading "bright-blue bold"',
  ]);
  setHelpList(set, { heading: 'Settings:', rows: settingRows, isInShortHelp: true });
  setExamples(unset, ['natter config unset model']);
  setExamples(use, ['natter config use work']);
  setExamples(remove, ['natter config remove-profile work']);
  return [set, unset, use, remove];
}

export function buildConfig(context: Context, run: RunConfig = runConfig): Command {
  const command = new Command('config').description('Shows and changes settings and profiles.');
  for (const child of [...buildReaders(context, run), ...buildWriters(context, run)]) {
    command.addCommand(child);
  }
  return setExamples(command, ['natter config list', 'natter config set model nextgen']);
}
