import { Argument, Command, Option } from 'commander';
import { forceOption, jsonOption } from '../../cli/options.ts';
import { setAction, setExamples } from '../../cli/help-details.ts';
import { setDefaultAction } from '../../cli/guess.ts';

const load = () => import('./run.ts');
const conversation = () => new Argument('<conversation>', 'id or its prefix, title, or latest');

const addParts = (command: Command) =>
  command
    .option('--siblings', 'include all versions of prompts and answers')
    .option('--reasoning', 'include the reasoning of answers')
    .option('--times', 'include when prompts were sent');

export function buildConversations(): Command {
  const list = new Command('list')
    .summary('list conversations, pinned ones first, then the most recent')
    .description('Lists conversations: id, last change, turns, tokens, model, title.')
    .option('--all', 'list all, not only the first 30')
    .option('--deleted', 'list the trash')
    .addOption(jsonOption());
  setDefaultAction(list, 'a conversation', 'show', async () => (await load()).listConversations);
  setExamples(list, ['natter conversations list', 'natter conversations list --json | jq ".[0]"']);
  const show = new Command('show')
    .addArgument(conversation())
    .summary('print a conversation; into a pipe, as Markdown');
  addParts(show).addOption(jsonOption());
  setAction(show, async () => (await load()).showConversation);
  setExamples(show, ['natter conversations show latest']);
  const search = new Command('search')
    .argument('<pattern...>', 'words or quoted phrases to find; case is ignored')
    .summary('search all conversations')
    .description('Finds conversations that contain all patterns; shows the lines around each hit.')
    .option('-E, --regexp', 'the pattern is a JavaScript regular expression')
    .option('--case-sensitive', 'match case')
    .option('-C, --context <lines>', 'lines to show around a hit, default 1', '1')
    .option('--json', 'print each matching turn as a JSON line');
  setAction(search, async () => (await load()).searchConversations);
  setExamples(search, [
    'natter conversations search sky blue',
    'natter conversations search "rate limit"',
    'natter conversations search -E "time(d out|out)"',
  ]);
  const exporting = new Command('export')
    .addArgument(conversation())
    .summary('export a conversation as Markdown, JSON or HTML')
    .description('Exports a conversation to standard output or a file.')
    .option('-o, --output <file>', 'file to write: .md, .json or .html')
    .addOption(
      new Option(
        '--format <format>',
        'markdown (md), json or html (default: from the extension)',
      ).choices(['markdown', 'md', 'json', 'html']),
    );
  addParts(exporting).addOption(forceOption());
  setAction(exporting, async () => (await load()).exportConversation);
  setExamples(exporting, [
    'natter conversations export latest -o sky.html',
    'natter conversations export latest --format json | jq .turns',
  ]);
  const rename = new Command('rename')
    .addArgument(conversation())
    .argument('<title>', 'the new title')
    .summary('change the title of a conversation');
  setAction(rename, async () => (await load()).renameConversation);
  setExamples(rename, ['natter conversations rename latest "why the sky is blue"']);
  const remove = new Command('delete')
    .argument('<conversations...>', 'ids or their prefixes, titles, or latest')
    .summary('move conversations to the trash (see undelete)');
  setAction(remove, async () => (await load()).deleteConversations);
  setExamples(remove, ['natter conversations delete latest']);
  const undelete = new Command('undelete')
    .argument('[conversations...]', 'ids, titles or latest (default: all)')
    .summary('restore some or all conversations from the trash');
  setAction(undelete, async () => (await load()).undeleteConversations);
  setExamples(undelete, ['natter conversations undelete latest', 'natter conversations undelete']);
  const importing = new Command('import')
    .argument('<files...>', 'exported files; - is standard input')
    .summary('import from natter, ChatGPT, Claude or llm')
    .description(
      'Imports conversations: JSON exports and journals of natter, conversations.json of ChatGPT and of Claude, and the output of llm logs --json. What was imported before is left as it is.',
    )
    .addOption(jsonOption());
  setAction(importing, async () => (await load()).importConversations);
  setExamples(importing, [
    'natter conversations import conversations.json',
    'llm logs --json -n 0 | natter conversations import -',
  ]);
  const prune = new Command('prune')
    .summary('delete old conversations for good')
    .description(
      'Deletes conversations for good, also those in the trash, that did not change for a time; not those that are pinned or open. The setting keep does this every day.',
    )
    .option('--older-than <age>', 'how long they did not change: 90d, 12w or 48h')
    .option('--dry-run', 'list them, delete nothing')
    .option('--yes', 'do not ask')
    .addOption(jsonOption());
  setAction(prune, async () => (await load()).pruneConversations);
  setExamples(prune, [
    'natter conversations prune --older-than 90d --dry-run',
    'natter conversations prune --older-than 12w --yes',
  ]);
  const command = new Command('conversations')
    .summary('manage saved conversations')
    .alias('sessions')
    .description('Lists, shows, searches, exports, imports, renames and deletes conversations.')
    .addCommand(list, { isDefault: true });
  for (const child of [show, search, exporting, importing, rename, remove, undelete, prune])
    command.addCommand(child);
  return setExamples(command, [
    'natter conversations list',
    'natter conversations search "rate limit"',
    'natter --resume latest "and at sunset?"',
  ]);
}
