import { Command } from 'commander';
import { forceOption, jsonOption } from '../../cli/options.ts';
import { setAction, helpOf, setExamples } from '../../cli/help-details.ts';
import { setDefaultAction } from '../../cli/guess.ts';

const load = () => import('./run.ts');

export function buildPrompts(): Command {
  const list = new Command('list')
    .summary('list prompt files')
    .description('Lists the prompt files that a name can find: those of the project, then yours.')
    .addOption(jsonOption());
  setDefaultAction(list, 'a prompt file', 'show', async () => (await load()).listPromptFiles);
  setExamples(list, ['natter prompts list', 'natter prompts list --json']);
  const show = new Command('show')
    .argument('<prompt-file>', 'name or path')
    .summary('show what a prompt file sets, its variables with choices, and its text')
    .addOption(jsonOption());
  setAction(show, async () => (await load()).showPromptFile);
  setExamples(show, ['natter prompts show review', 'natter prompts show review --json']);
  const path = new Command('path')
    .argument('[prompt-file]', 'name (default: the folder of your own prompt files)')
    .summary('print the path of a prompt file, or of the folder of your own');
  setAction(path, async () => (await load()).showPromptPath);
  setExamples(path, ['cat "$(natter prompts path review)"', 'natter prompts path']);
  const edit = new Command('edit')
    .argument('<prompt-file>', 'name or path')
    .summary('edit or create a prompt file in $VISUAL or $EDITOR')
    .description(
      'Opens a prompt file in $VISUAL or $EDITOR, then checks it. A new name creates one of your own, or with --project one of the project.',
    )
    .option('--project', 'create a new one in .natter/prompts of the project');
  setAction(edit, async () => (await load()).editPromptFile);
  setExamples(edit, [
    'EDITOR=cat natter prompts edit review',
    'EDITOR=cat natter prompts edit --project release-notes',
  ]);
  const importing = new Command('import')
    .argument('<files...>', 'files, or folders of them')
    .summary('convert prompts of fabric, llm and coding agents')
    .description(
      'Converts patterns of fabric (folders with system.md), templates of llm (YAML) and command files of coding agents into prompt files of your own. All of them also run as they are.',
    )
    .option('--name <name>', 'name of the new prompt file (default: that of the file)')
    .option('--project', 'write into .natter/prompts of the project')
    .addOption(forceOption());
  setAction(importing, async () => (await load()).importPromptFiles);
  setExamples(importing, [
    'natter prompts import patterns/summarize',
    'natter prompts import .claude/commands --project',
    'natter prompts import brief.yaml --name shorten',
  ]);
  const command = new Command('prompts')
    .summary('list, show, edit and import the prompt files of natter run')
    .addCommand(list, { isDefault: true })
    .addCommand(show)
    .addCommand(path)
    .addCommand(edit)
    .addCommand(importing);
  for (const child of [command, ...command.commands]) helpOf(child).hidesServiceOptions = true;
  return setExamples(command, [
    'natter prompts',
    'natter prompts show review',
    'EDITOR=cat natter prompts edit review',
  ]);
}
