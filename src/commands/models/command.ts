import { Command } from 'commander';
import { jsonOption } from '../../cli/options.ts';
import { setAction, setExamples } from '../../cli/help-details.ts';
import { setDefaultAction } from '../../cli/guess.ts';

const load = () => import('./run.ts');

export function buildModels(): Command {
  const search = new Command('search')
    .argument('<text>', 'text to find; case is ignored')
    .summary('list the models that contain a text')
    .description('Lists the models whose id, context window, latency or purpose contains the text.')
    .addOption(jsonOption());
  setAction(search, async () => (await load()).searchModels);
  setExamples(search, [
    'natter models search advanced',
    'natter models search origin --json | jq -r ".[].id"',
  ]);
  const list = new Command('list')
    .summary('list the models of the service')
    .description('Lists the models of the service: id, context window, latency, purpose.')
    .addOption(jsonOption());
  setDefaultAction(list, 'a model', 'get', async () => (await load()).listModels);
  const get = new Command('get')
    .argument('<model>', 'id of the model')
    .summary('show one model with every field sent by the service')
    .addOption(jsonOption());
  setAction(get, async () => (await load()).getModel);
  setExamples(list, ['natter models list', 'natter models list --json | jq -r ".[].id"']);
  setExamples(get, ['natter models get nextgen']);
  const models = new Command('models')
    .summary('show the available models')
    .description('Lists and searches models, or shows one.')
    .addCommand(list, { isDefault: true })
    .addCommand(search)
    .addCommand(get);
  return setExamples(models, ['natter models list', 'natter models get nextgen']);
}
