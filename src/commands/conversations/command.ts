import { Argument, Command, Option } from 'commander';
import type { Context, Action, JsonOptions } from '../../run.ts';
import { setExamples } from '../program/help-details.ts';
import { refuseWords } from '../program/usage-failure.ts';
import type { ListConversationsOptions } from './run.ts';
import type { SearchOptions } from './search-run.ts';
import type { ExportOptions, ShowOptions } from './text-run.ts';

export interface RunConversations {
  readonly list: Action<ListConversationsOptions>;
  readonly show: Action<ShowOptions, [name: string]>;
  readonly search: Action<SearchOptions, [patterns: readonly string[]]>;
  readonly export: Action<ExportOptions, [name: string]>;
  readonly rename: Action<JsonOptions, [name: string, title: string]>;
  readonly delete: Action<JsonOptions, [names: readonly string[]]>;
  readonly undelete: Action<JsonOptions, [names: readonly string[]]>;
}

const loadRun = () => import('./run.ts');
const loadText = () => import('./text-run.ts');

const runConversations: RunConversations = {
  list: async (...words) => (await loadRun()).listConversations(...words),
  rename: async (...words) => (await loadRun()).renameConversation(...words),
  delete: async (...words) => (await loadRun()).deleteConversations(...words),
  undelete: async (...words) => (await loadRun()).undeleteConversations(...words),
  show: async (...words) => (await loadText()).showConversation(...words),
  export: async (...words) => (await loadText()).exportConversation(...words),
  search: async (...words) => (await import('./search-run.ts')).searchConversations(...words),
};

const conversation = () => new Argument('<conversation>', 'id or its prefix, title, or latest');
const siblings = () => new Option('--siblings', 'include all versions of prompts and answers');

/** Command names of other programs. */
const equivalents: ReadonlyMap<string, string> = new Map([
  ['rm', 'delete'],
  ['remove', 'delete'],
  ['del', 'delete'],
  ['ls', 'list'],
  ['mv', 'rename'],
  ['cat', 'show'],
  ['view', 'show'],
  ['find', 'search'],
  ['grep', 'search'],
  ['save', 'export'],
  ['restore', 'undelete'],
]);

function foreignHint([word = '', ...rest]: readonly string[]): string | undefined {
  const name = equivalents.get(word);
  const isPlain = rest.every((other) => /^[\w.-]+$/.test(other));
  return name && ['natter conversations', name, ...(isPlain ? rest : ['…'])].join(' ');
}

function buildList(context: Context, run: RunConversations): Command {
  const list = new Command('list')
    .summary('list conversations, most recent first')
    .description('Lists conversations: id, last change, turns, tokens, model, title.')
    .option('--all', 'list all, not only the last 30')
    .option('--deleted', 'list the trash')
    .option('--json', 'print JSON')
    // As the default command, it receives every word that is not the name of a command.
    .allowExcessArguments();
  list.action(() => {
    const showHint = (word: string) => `to show a conversation: natter conversations show ${word}`;
    refuseWords(list, showHint, foreignHint);
    return run.list(context, list.optsWithGlobals());
  });
  return setExamples(list, [
    'natter conversations list',
    'natter conversations list --json | jq -r ".[0].title"',
  ]);
}

function buildShow(context: Context, run: RunConversations): Command {
  const show = new Command('show')
    .addArgument(conversation())
    .summary('print a conversation')
    .description('Prints a conversation; piped output is Markdown.')
    .addOption(siblings())
    .option('--json', 'print JSON');
  show.action((name: string) => run.show(context, show.optsWithGlobals(), name));
  return setExamples(show, ['natter conversations show latest']);
}

function buildSearch(context: Context, run: RunConversations): Command {
  const search = new Command('search')
    .argument('<pattern...>', 'words or quoted phrases to find; case is ignored')
    .summary('search all conversations')
    .description(
      'Searches for conversations that contain all patterns; shows the lines around each hit.',
    )
    .option('-E, --regexp', 'the pattern is a JavaScript regular expression')
    .option('--case-sensitive', 'match case')
    .option('-C, --context <lines>', 'lines to show around a hit, default 1', '1')
    .option('--json', 'print each matching turn as a JSON line');
  search.action((patterns: string[]) => run.search(context, search.optsWithGlobals(), patterns));
  return setExamples(search, [
    'natter conversations search sky blue',
    'natter conversations search "rate limit"',
    'natter conversations search -E "time(d out|out)"',
  ]);
}

function formatOption(): Option {
  const option = new Option(
    '--format <format>',
    'markdown, json or html (default: from the extension)',
  ).choices(['markdown', 'json', 'html']);
  const { parseArg } = option;
  const parse = (value: string, previous: unknown) =>
    parseArg?.(value === 'md' ? 'markdown' : value, previous);
  return option.argParser(parse);
}

function buildExport(context: Context, run: RunConversations): Command {
  const command = new Command('export')
    .addArgument(conversation())
    .summary('export a conversation as Markdown, JSON or HTML')
    .description('Exports a conversation to standard output or a file.')
    .option('-o, --output <file>', 'file to write: .md, .json or .html')
    .addOption(formatOption())
    .addOption(siblings())
    .option('--force', 'replace an existing file');
  command.action((name: string) => run.export(context, command.optsWithGlobals(), name));
  return setExamples(command, [
    'natter conversations export latest -o sky.html',
    'natter conversations export latest --format json | jq .turns',
  ]);
}

function buildChanges(context: Context, run: RunConversations): readonly Command[] {
  const rename = new Command('rename')
    .addArgument(conversation())
    .argument('<title>', 'the new title')
    .summary('change the title')
    .description('Changes the title of a conversation.');
  rename.action((name: string, title: string) =>
    run.rename(context, rename.optsWithGlobals(), name, title),
  );
  const remove = new Command('delete')
    .argument('<conversations...>', 'ids or their prefixes, titles, or latest')
    .summary('move conversations to the trash')
    .description('Moves conversations to the trash. Nothing in the trash expires.');
  remove.action((names: string[]) => run.delete(context, remove.optsWithGlobals(), names));
  const undelete = new Command('undelete')
    .argument('[conversations...]', 'ids, titles or latest (default: all)')
    .summary('restore conversations from the trash')
    .description('Restores conversations from the trash; without arguments, all of them.');
  undelete.action((names: string[]) => run.undelete(context, undelete.optsWithGlobals(), names));
  setExamples(rename, ['natter conversations rename latest "why the sky is blue"']);
  setExamples(remove, ['natter conversations delete latest']);
  setExamples(undelete, ['natter conversations undelete latest', 'natter conversations undelete']);
  return [rename, remove, undelete];
}

export function buildConversations(
  context: Context,
  run: RunConversations = runConversations,
): Command {
  const command = new Command('conversations')
    .description('Lists, shows, searches, exports, renames and deletes conversations.')
    .addCommand(buildList(context, run), { isDefault: true });
  const others = [buildShow, buildSearch, buildExport].map((build) => build(context, run));
  for (const child of [...others, ...buildChanges(context, run)]) command.addCommand(child);
  return setExamples(command, [
    'natter conversations list',
    'natter conversations search "rate limit"',
    'natter --resume latest "and at sunset?"',
  ]);
}
