import { Command } from 'commander';
import type { GlobalOptions, JsonOptions, Context, Action } from '../../run.ts';
import { hideServiceOptions, setExamples } from '../program/help-details.ts';
import { refuseWords } from '../program/usage-failure.ts';
import type { EditOptions } from './edit-run.ts';
import type { ImportOptions } from './import-run.ts';

export interface RunPrompts {
  readonly list: Action<JsonOptions>;
  readonly show: Action<JsonOptions, [name: string]>;
  readonly path: Action<GlobalOptions, [name: string | undefined]>;
  readonly edit: Action<EditOptions, [name: string]>;
  readonly import: Action<ImportOptions, [files: readonly string[]]>;
}

const runPrompts: RunPrompts = {
  list: async (...words) => (await import('./run.ts')).listPromptFiles(...words),
  show: async (...words) => (await import('./run.ts')).showPromptFile(...words),
  path: async (...words) => (await import('./run.ts')).showPromptPath(...words),
  edit: async (...words) => (await import('./edit-run.ts')).editPromptFile(...words),
  import: async (...words) => (await import('./import-run.ts')).importPromptFiles(...words),
};

/** For a prompt that begins with the word prompts. */
function promptHint(words: readonly string[]): string | undefined {
  return words.length > 1
    ? `to send it as a prompt: natter chat prompts ${words.join(' ')}`
    : undefined;
}

function buildList(context: Context, run: RunPrompts): Command {
  const list = new Command('list')
    .summary('list prompt files')
    .description('Lists the prompt files that a name can find: those of the project, then yours.')
    .option('--json', 'print JSON')
    // As the default command, it receives every word that is not the name of a command.
    .allowExcessArguments();
  list.action(() => {
    refuseWords(list, (word) => `to show a prompt file: natter prompts show ${word}`, promptHint);
    return run.list(context, list.optsWithGlobals());
  });
  return setExamples(list, ['natter prompts list', 'natter prompts list --json']);
}

function buildShow(context: Context, run: RunPrompts): Command {
  const show = new Command('show')
    .argument('<prompt-file>', 'name or path')
    .summary('show a prompt file, its variables and its text')
    .description('Shows what a prompt file sets, its variables with choices, and its text.')
    .option('--json', 'print JSON');
  show.action((name: string) => run.show(context, show.optsWithGlobals(), name));
  return setExamples(show, ['natter prompts show review', 'natter prompts show review --json']);
}

function buildPath(context: Context, run: RunPrompts): Command {
  const path = new Command('path')
    .argument('[prompt-file]', 'name (default: the folder of your own prompt files)')
    .summary('print the path of a prompt file, or of your folder')
    .description('Prints the path of a prompt file, or of the folder of your own prompt files.');
  path.action((name?: string) => run.path(context, path.optsWithGlobals(), name));
  return setExamples(path, ['cat "$(natter prompts path review)"', 'natter prompts path']);
}

function buildEdit(context: Context, run: RunPrompts): Command {
  const edit = new Command('edit')
    .argument('<prompt-file>', 'name or path')
    .summary('edit or create a prompt file in $VISUAL or $EDITOR')
    .description(
      'Opens a prompt file in $VISUAL or $EDITOR, then checks it. A new name creates one of your own, or with --project one of the project.',
    )
    .option('--project', 'create a new one in .natter/prompts of the project');
  edit.action((name: string) => run.edit(context, edit.optsWithGlobals(), name));
  return setExamples(edit, [
    'EDITOR=cat natter prompts edit review',
    'EDITOR=cat natter prompts edit --project release-notes',
  ]);
}

function buildImport(context: Context, run: RunPrompts): Command {
  const command = new Command('import')
    .argument('<files...>', 'files, or folders of them')
    .summary('convert prompts of fabric, llm and coding agents')
    .description(
      'Converts patterns of fabric (folders with system.md), templates of llm (YAML) and command files of coding agents into prompt files of your own. All of them also run as they are.',
    )
    .option('--name <name>', 'name of the new prompt file (default: that of the file)')
    .option('--project', 'write into .natter/prompts of the project')
    .option('--force', 'replace existing prompt files');
  command.action((files: string[]) => run.import(context, command.optsWithGlobals(), files));
  return setExamples(command, [
    'natter prompts import patterns/summarize',
    'natter prompts import .claude/commands --project',
    'natter prompts import brief.yaml --name shorten',
  ]);
}

export function buildPrompts(context: Context, run: RunPrompts = runPrompts): Command {
  const command = new Command('prompts')
    .description('Lists, shows, edits and imports the prompt files of natter run.')
    .addCommand(buildList(context, run), { isDefault: true })
    .addCommand(buildShow(context, run))
    .addCommand(buildPath(context, run))
    .addCommand(buildEdit(context, run))
    .addCommand(buildImport(context, run));
  for (const child of [command, ...command.commands]) hideServiceOptions(child);
  return setExamples(command, [
    'natter prompts',
    'natter prompts show review',
    'EDITOR=cat natter prompts edit review',
  ]);
}
