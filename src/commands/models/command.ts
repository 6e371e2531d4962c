import { Command } from 'commander';
import type { Context, Run } from '../program/context.ts';
import { setExamples } from '../program/help-format.ts';
import { refuseWords } from '../program/refuse-words.ts';
import type { JsonOptions } from '../program/global-options.ts';

export interface RunModels {
  readonly list: Run<JsonOptions>;
  readonly get: Run<JsonOptions, [id: string]>;
}

const runModels: RunModels = {
  list: async (...words) => (await import('./run.ts')).listModels(...words),
  get: async (...words) => (await import('./run.ts')).getModel(...words),
};

/** `natter models list` and `natter models get <model>`. */
export function buildModels(context: Context, run: RunModels = runModels): Command {
  const list = new Command('list')
    .summary('list the models of the service')
    .description('Lists the models of the service: id, context window, latency, purpose.')
    .option('--json', 'print JSON')
    // As the default command it gets every word that names none.
    .allowExcessArguments();
  list.action(() => {
    refuseWords(list, (word) => `to show a model: natter models get ${word}`);
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
    .description('Lists models, or shows one.')
    .addCommand(list, { isDefault: true })
    .addCommand(get);
  return setExamples(models, ['natter models list', 'natter models get nextgen']);
}
