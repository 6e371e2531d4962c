import { Command } from 'commander';
import type { Context } from './context.ts';
import type { GlobalOptions } from './global-options.ts';
import { setExamples } from './help-format.ts';

export interface ConfigOptions extends GlobalOptions {
  readonly json?: boolean;
}

export interface RunConfig {
  readonly list: (context: Context, options: ConfigOptions) => Promise<void>;
  readonly get: (context: Context, name: string, options: ConfigOptions) => Promise<void>;
  readonly set: (
    context: Context,
    name: string,
    value: string,
    options: GlobalOptions,
  ) => Promise<void>;
  readonly unset: (context: Context, name: string, options: GlobalOptions) => Promise<void>;
  readonly path: (context: Context) => Promise<void>;
  readonly use: (context: Context, profile: string, options: GlobalOptions) => Promise<void>;
  readonly profiles: (context: Context, options: ConfigOptions) => Promise<void>;
  readonly remove: (context: Context, profile: string, options: GlobalOptions) => Promise<void>;
}

const load = () => import('./config-run.ts');

const runConfig: RunConfig = {
  list: async (context, options) => (await load()).listSettings(context, options),
  get: async (context, name, options) => (await load()).getSetting(context, name, options),
  set: async (context, name, value, options) =>
    (await load()).setSetting(context, name, value, options),
  unset: async (context, name, options) => (await load()).unsetSetting(context, name, options),
  path: async (context) => (await load()).showPath(context),
  use: async (context, profile, options) => (await load()).useProfile(context, profile, options),
  profiles: async (context, options) => (await load()).listProfiles(context, options),
  remove: async (context, profile, options) =>
    (await load()).removeProfile(context, profile, options),
};

const json = ['--json', 'print JSON'] as const;

function buildReaders(context: Context, run: RunConfig): readonly Command[] {
  const list = new Command('list')
    .summary('list the settings in force')
    .description('Lists the settings in force and where each comes from.')
    .option(...json);
  list.action(() => run.list(context, list.optsWithGlobals()));
  const get = new Command('get')
    .argument('<name>', 'name of the setting')
    .summary('print one setting')
    .description('Prints one setting in force.')
    .option(...json);
  get.action((name: string) => run.get(context, name, get.optsWithGlobals()));
  const path = new Command('path')
    .summary('print the path of the settings file')
    .description('Prints the path of the settings file.');
  path.action(() => run.path(context));
  const profiles = new Command('profiles')
    .summary('list the profiles')
    .description('Lists the profiles; the current one is marked.')
    .option(...json);
  profiles.action(() => run.profiles(context, profiles.optsWithGlobals()));
  setExamples(list, ['natter config list', 'natter config list --json']);
  setExamples(get, ['natter config get model']);
  setExamples(path, ['cat "$(natter config path)"']);
  setExamples(profiles, ['natter config profiles']);
  return [list, get, path, profiles];
}

function buildWriters(context: Context, run: RunConfig): readonly Command[] {
  const set = new Command('set')
    .argument('<name>', 'name of the setting, such as model or params.temperature')
    .argument('<value>', 'its value; JSON for params')
    .summary('set a value')
    .description('Sets a value in the profile.');
  set.action((name: string, value: string) => run.set(context, name, value, set.optsWithGlobals()));
  const unset = new Command('unset')
    .argument('<name>', 'name of the setting')
    .summary('remove a value')
    .description('Removes a value from the profile.');
  unset.action((name: string) => run.unset(context, name, unset.optsWithGlobals()));
  const use = new Command('use')
    .argument('<profile>', 'name of the profile')
    .summary('make a profile the current one')
    .description('Makes a profile the current one.');
  use.action((profile: string) => run.use(context, profile, use.optsWithGlobals()));
  const remove = new Command('remove-profile')
    .argument('<profile>', 'name of the profile')
    .summary('remove a profile with its key')
    .description('Removes a profile with its key.');
  remove.action((profile: string) => run.remove(context, profile, remove.optsWithGlobals()));
  setExamples(set, [
    'natter config set model nextgen',
    'natter config set base-url http://127.0.0.1:8080 --profile local',
    'natter config set params.temperature 0.2',
  ]);
  setExamples(unset, ['natter config unset model']);
  setExamples(use, ['natter config use work']);
  setExamples(remove, ['natter config remove-profile work']);
  return [set, unset, use, remove];
}

/** `natter config …`: reads and writes settings profiles. */
export function buildConfig(context: Context, run: RunConfig = runConfig): Command {
  const command = new Command('config').description('Shows and changes settings and profiles.');
  for (const child of [...buildReaders(context, run), ...buildWriters(context, run)]) {
    command.addCommand(child);
  }
  return setExamples(command, ['natter config list', 'natter config set model nextgen']);
}
