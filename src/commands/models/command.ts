import { Command } from 'commander';
import type { Context, Action, JsonOptions } from '../../run.ts';
import { setExamples } from '../program/help-details.ts';
import { refuseWords } from '../program/usage-failure.ts';

export interface RunModels {
  readonly list: Action<JsonOptions>;
  readonly search: Action<JsonOptions, [text: string]>;
  readonly get: Action<JsonOptions, [id: string]>;
}

const runModels: RunModels = {
  list: async (...words) => (await import('./run.ts')).listModels(...words),
  search: async (...words) => (await import('./run.ts')).searchModels(...words),
  get: async (...words) => (await import('./run.ts')).getModel(...words),
};

const settingWords = new Set(['default', 'set', 'set-default', 'use', 'select', 'switch']);

/** The setting for `natter models default nextgen`, as other clients name it. */
function settingHint([word = '', id = '<model>']: readonly string[]): string | undefined {
  return settingWords.has(word) ? `natter config set model ${id}` : undefined;
}

function buildSearch(context: Context, run: RunModels): Command {
  const search = new Command('search')
    .argument('<text>', 'text to find; case is ignored')
    .summary('list the models that contain a text')
    .description('Lists the models whose id, context window, latency or purpose contains the text.')
    .option('--json', 'print JSON');
  search.action((text: string) => run.search(context, search.optsWithGlobals(), text));
  return setExamples(search, [
    'natter models search advanced',
    'natter models search origin --json | jq -r ".[].id"',
  ]);
}

export function buildModels(context: Context, run: RunModels = runModels): Command {
  const list = new Command('list')
    .summary('list the models of the service')
    .description('Lists the models of the service: id, context window, latency, purpose.')
    .option('--json', 'print JSON')
    // As the default command, it receives every word that is not the name of a command.
    .allowExcessArguments();
  list.action(() => {
    refuseWords(list, (word) => `to show a model: natter models get ${word}`, settingHint);
    return run.list(context, list.optsWithGlobals());
  });
  const get = new Command('get')
    .argument('<model>', 'id of the model')
    .summary('show one model')
    .description('Shows one model with every field sent by the service.')
    .option('--json', 'print JSON');
  get.action((id: string) => run.get(context, get.optsWithGlobals(), id));
  setExamples(list, ['natter models list', 'natter models list --json | jq -r ".[].id"']);
  setExamples(get, ['natter models get nextgen']);
  const models = new Command('models')
    .description('Lists and searches models, or shows one.')
    .addCommand(list, { isDefault: true })
    .addCommand(buildSearch(context, run))
    .addCommand(get);
  return setExamples(models, ['natter models list', 'natter models get nextgen']);
}
