import { nearlyNamed } from '../near-name.ts';
import { countOf } from '../output/figures.ts';
import { pairsIn } from '../terminal/text/pairs.ts';
import { displayWidth, padToWidth } from '../terminal/text/width.ts';
import { wrapText } from '../terminal/text/wrap.ts';
import { btwCommand } from './answers/aside.ts';
import { answerCommands } from './answers/versions.ts';
import type { ArgumentKind, Candidate } from './composer/completion.ts';
import { draftFrom, isEmpty, withDraft } from './composer/text-buffer.ts';
import { keyBindings, keyLabel, keyOf } from './composer/keys/key-bindings.ts';
import { contextCommands } from './context.ts';
import { conversationCommands } from './conversations/conversations.ts';
import { exportCommand, textCommands } from './export.ts';
import { attachCommand } from './files/attachments.ts';
import { openPromptFile } from './prompt-files/send-prompt-file.ts';
import { settingsCommands } from './settings.ts';
import { callScreen, type CommandGroup, type SlashCommand } from './slash-command.ts';
import type { Update, ReplState } from './state.ts';
import { andThen, printNotice, quit, refuse, showNow, startActivity, step, task } from './step.ts';

/** What the names of other chat programs stand for. They are not listed. */
const commandOfOtherName: ReadonlyMap<string, string> = new Map([
  ...pairsIn('exit quit q quit bye quit cost context usage context models model times time'),
  ...pairsIn('regenerate retry reset new'),
  ['theme', 'settings theme'],
  ['wrap', 'settings wrap'],
  ['temperature', 'param temperature'],
  ['max-tokens', 'param max_tokens'],
]);

/** What to type instead of commands that natter does not have. */
const otherPrograms: readonly (readonly [names: string, advice: string])[] = [
  ['delete', 'in a shell: natter conversations delete ID'],
  ['search', '/resume TEXT searches them'],
  ['history', '/resume lists them; /help keys has the key that searches your prompts'],
  ['load open', '/resume opens a conversation'],
  ['file add', '/attach adds a file to the next prompt'],
  ['tokens', '/context shows the tokens'],
  ['login connect', 'in a shell: natter auth login'],
  ['vim', 'in a shell: natter config set editing vi'],
  ['status stats', '/context shows the figures'],
  ['rewind', '/undo removes the last prompt, /edit goes back to an earlier one'],
  ['memory init', '/system sets the system prompt'],
  ['config', 'in a shell: natter config'],
];

/** Elsewhere, `/clear` begins a new conversation. */
function clearWindow(state: ReplState): Update {
  const cleared = step(state, task(callScreen, 'scrollAway'));
  if (state.conversation.turns.size === 0) return cleared;
  return andThen(cleared, (next) =>
    printNotice(next, 'the conversation continues; /new starts a new one'),
  );
}

const programCommands: readonly SlashCommand[] = [
  {
    name: 'help',
    argument: '[name]',
    summary: 'list the commands, or describe one or a group',
    example: '/help copy',
    isImmediate: true,
    showsNow: true,
    completes: (_repl, state) => commandCandidates(state),
    run: showHelp,
  },
  {
    name: 'clear',
    isSilent: true,
    isUnlisted: true,
    summary: 'clear the window; its text stays in the scrollback',
    needsLiveRegion: true,
    run: clearWindow,
  },
  {
    name: 'redraw',
    isSilent: true,
    isUnlisted: true,
    summary: 'redraw the composer',
    isImmediate: true,
    needsLiveRegion: true,
    run: (state) => step(state, task(callScreen, 'redraw')),
  },
  {
    name: 'quit',
    isSilent: true,
    summary: 'quit natter',
    isImmediate: true,
    run: quit,
  },
];

/** The groups of `/help`, in its order. */
export function groupsOf(state?: ReplState): readonly CommandGroup[] {
  const conversations = [exportCommand, ...conversationCommands, ...contextCommands];
  const prompts = state === undefined ? [] : promptCommands(state);
  return [
    { name: 'answers', title: 'Answers', commands: [...answerCommands, btwCommand] },
    { name: 'text', title: 'Text and files', commands: [...textCommands, attachCommand] },
    { name: 'conversations', title: 'Conversations', commands: conversations },
    { name: 'settings', title: 'Settings', commands: settingsCommands },
    { name: 'prompts', title: 'Prompt files', commands: prompts },
    { name: 'program', title: 'natter', commands: programCommands },
  ];
}

export const slashCommands = groupsOf().flatMap(({ commands }) => commands);

const isListed = ({ isUnlisted }: SlashCommand) => isUnlisted !== true;

export const commandsByName = new Map(slashCommands.map((command) => [command.name, command]));

/** Prompt files as commands; a command of natter wins over a file with its name. */
function promptCommands({ promptFiles }: ReplState): readonly SlashCommand[] {
  return promptFiles
    .filter(({ name }) => !commandsByName.has(name))
    .map(({ name, summary }) => ({
      name,
      argument: '[name=value] [text]',
      summary: summary === '' ? 'prompt file without a description' : summary,
      run: (state, argument) => runPromptFile(state, name, argument),
    }));
}

/** The rows below the composer: those of the panel, or the help while a question mark is all that is typed. */
export function panelOf(state: ReplState): readonly string[] {
  const { panel, composer } = state;
  const isHelp = composer.text === '?' && (state.dialog ?? state.list) === undefined;
  return (panel ?? (isHelp ? shortHelp(state) : '')).split('\n').filter(Boolean);
}

function runPromptFile(state: ReplState, name: string, argument: string): Update {
  /** The line returns to the composer, if that is empty. */
  const onMissing = (current: ReplState) => {
    const { composer, isLineMode } = current;
    const draft = draftFrom(`/${name} ${argument}`.trimEnd());
    const isRestored = !isLineMode && isEmpty(composer);
    const restored = { composer: withDraft(composer, draft), restoredText: draft.text };
    const next = isRestored ? { ...current, ...restored } : current;
    return refuseUnknown(next, name, '// sends a line that starts with a slash');
  };
  const input = { name, argument, onMissing };
  return startActivity(state, 'reading a prompt file', openPromptFile, input);
}

export function argumentKind(name: string): ArgumentKind | undefined {
  const command = commandsByName.get(name);
  if (command === undefined) return 'word';
  const { completes } = command;
  if (completes === undefined) return undefined;
  return completes === 'files' ? 'path' : 'value';
}

/** The commands that are only offered to those who type the start of their name, and other names of commands. */
function unlistedCommands(typed: string): readonly SlashCommand[] {
  // Fewer letters mean a listed command.
  if (typed.length < 3) return [];
  const others = [...commandOfOtherName].flatMap(([name, of]) => {
    const command = commandsByName.get(of.replace(/ .*/, ''));
    return command === undefined ? [] : [{ ...command, name }];
  });
  const unlisted = slashCommands.filter(({ isUnlisted }) => isUnlisted === true);
  return [...unlisted, ...others].filter(({ name }) => name.startsWith(typed.toLowerCase()));
}

/** Its place in `/help`; those that are only in `/help all` follow. */
const placeInUse = ({ name }: SlashCommand) =>
  byUse.includes(name) ? byUse.indexOf(name) : byUse.length;

/** The commands with their arguments, for completion. */
export function commandCandidates(state: ReplState, typed = ''): readonly Candidate[] {
  const listed = slashCommands
    .filter(isListed)
    .toSorted((one, other) => placeInUse(one) - placeInUse(other));
  const commands = [...listed, ...promptCommands(state), ...unlistedCommands(typed)];
  return commands
    .filter((command) => isOffered(state, command))
    .map(({ name: value, argument, summary }) => ({ value, argument, summary }));
}

/** A line that starts with a slash: the command of natter that it names, if any, its name and its argument. */
function readLine(state: ReplState, line: string) {
  const [, typed = '', rest = ''] = /^\/(\S*)\s*([^]*)$/.exec(line) ?? [];
  const isFile = state.promptFiles.some(({ name }) => name === typed);
  const known = isFile ? undefined : commandOfOtherName.get(typed);
  // Another name may stand for a command with the first word of its argument.
  const [name = '', word = ''] = (known ?? typed).split(' ');
  return { command: commandsByName.get(name), name, argument: `${word} ${rest}`.trim() };
}

/** The command of natter that the first line of a text names, if any. */
export const commandIn = (state: ReplState, text: string): SlashCommand | undefined =>
  readLine(state, text).command;

/** Runs a typed line that starts with a slash, or is only a question mark. */
export function runCommand(state: ReplState, line: string): Update {
  if (line === '?') return showHelp(state, '');
  const { command, name, argument } = readLine(state, line);
  if (command === undefined)
    return name === '' ? step(state) : runPromptFile(state, name, argument);
  if (!isOffered(state, command)) return refuse(state, `/${name} has no effect in line mode`);
  if (command.argument === undefined && argument !== '') {
    return refuse(state, `/${name} takes no argument`, `type /${name} alone`);
  }
  return command.run(state, argument);
}

/** Splits a one-line command from the lines after it; undefined if there are none. */
export function linesAfterCommand(state: ReplState, text: string) {
  const command = commandIn(state, text);
  const end = text.indexOf('\n');
  if (command === undefined || command.takesLines === true || end === -1) return undefined;
  return { line: text.slice(0, end), rest: text.slice(end + 1) };
}

// Help.

type Row = readonly [term: string, summary: string];

/** Columns before a summary that is below its term. */
const indent = 4;

/** `/name` with its argument, as in `/help`. */
export const usageOf = ({ name, argument }: SlashCommand): string =>
  argument === undefined ? `/${name}` : `/${name} ${argument}`;

/** In line mode `/copy, optional n`: brackets are noise in speech. */
function shownUsage({ isLineMode }: ReplState, command: SlashCommand): string {
  const usage = usageOf(command);
  if (!isLineMode) return usage;
  return usage
    .replaceAll(/ \[([^\]]+)\]/g, ', optional $1')
    .replaceAll(/ <([^>]+)>/g, ', with a $1');
}

function isOffered({ isLineMode }: ReplState, { needsLiveRegion }: SlashCommand): boolean {
  return !isLineMode || needsLiveRegion !== true;
}

const commandRows = (state: ReplState, commands: readonly SlashCommand[]): readonly Row[] =>
  commands
    .filter((command) => isOffered(state, command))
    .map((command) => [shownUsage(state, command), command.summary]);

/** Lays out rows: two columns if they all fit, else each summary below its term; in line mode `term: summary`. */
function rowLayout(rows: readonly Row[], { columns, isLineMode }: ReplState) {
  const widest = Math.max(...rows.map(([term]) => displayWidth(term)));
  const longest = Math.max(...rows.map(([, summary]) => displayWidth(summary)));
  const wrapped = (text: string) =>
    wrapText(text, Math.max(1, columns - indent - 1)).map((row) => ' '.repeat(indent) + row);
  return ([term, summary]: Row): readonly string[] => {
    if (isLineMode) return [`${term}: ${summary}`];
    return widest + longest + 2 < columns
      ? [`${padToWidth(term, widest)}  ${summary}`]
      : [term, ...wrapped(summary)];
  };
}

const tableText = (rows: readonly Row[], state: ReplState): string =>
  rows.flatMap(rowLayout(rows, state)).join('\n');

const doubleSlash: Row = ['//', 'sends a line that starts with a slash'];
const shellRows: readonly Row[] = [
  ['!command', 'run it in your shell and attach its output'],
  ['!!command', 'run it without attaching its output'],
];

function keyAdvice({ isLineMode, keyMap }: ReplState): Row {
  const actions = ['send', 'new-line', 'stop', 'interrupt'] as const;
  const keys = actions.map((action) => keyOf(action, keyMap)).filter((key) => key !== undefined);
  const advice = isLineMode ? 'the keys of the line' : `all keys, such as ${keys.join(', ')}`;
  return ['/help keys', advice];
}

const nameAdvice: Row = ['/help copy', 'one command with an example; also /help answers'];

/** The commands of `/help` by use. With the advice below them they fit a window of 24 rows. */
const byUse: readonly string[] =
  'model resume new retry edit branches btw continue undo copy save attach context compact system param quit'.split(
    ' ',
  );

/** The commands that people use most, and where the others are. */
function shortHelp(state: ReplState): string {
  const shown = byUse.flatMap((name) => commandsByName.get(name) ?? []);
  const shell = state.hasShell ? shellRows.slice(0, 1) : [];
  const all: Row = ['/help all', 'all commands and prompt files; /help copy describes one'];
  return tableText([...commandRows(state, shown), ...shell, keyAdvice(state), all], state);
}

/** The commands of some groups, each group below its title; with several groups, more at the end. */
function groupHelp(state: ReplState, groups: readonly CommandGroup[]): string {
  const { isLineMode, hasShell } = state;
  const shell = hasShell ? shellRows : [];
  const more = { title: 'More', rows: [...shell, doubleSlash, keyAdvice(state), nameAdvice] };
  const sections = groups.map((group) => ({
    title: group.title,
    rows: commandRows(state, group.commands.filter(isListed)),
  }));
  const all = groups.length > 1 ? [...sections, more] : sections;
  const shown = all.filter(({ rows }) => rows.length > 0);
  const allRows = shown.flatMap(({ rows }) => rows);
  const linesOf = rowLayout(allRows, state);
  const blocks = shown.map(({ title, rows }) => {
    const spoken = `${title}, ${countOf(rows.length, 'command')}:`;
    return [isLineMode ? spoken : title, ...rows.flatMap(linesOf)].join('\n');
  });
  return blocks.join(isLineMode ? '\n' : '\n\n');
}

/** The actions of line mode, besides those that every line editor has. */
const lineActions =
  /^(?:send|interrupt|delete-right-or-quit|complete|search-start|move-(?:up|down|word-left|word-right)|kill-(?:blank-word-left|line-start)|yank)$/;

/** Each key once, by its first chord. */
function keyHelp(state: ReplState): string {
  const { keyMap = keyBindings, isLineMode } = state;
  const rows = keyMap.flatMap(({ action, when, keys: [key], summary }): readonly Row[] => {
    const isOfContext = isLineMode
      ? lineActions.test(action)
      : /^(?:composer|anywhere)$/.test(when);
    // Each line of line mode is edited alone.
    const does = isLineMode ? summary.replace(/^one row (?:up|down), then /, '') : summary;
    return key !== undefined && isOfContext ? [[keyLabel(key), does]] : [];
  });
  const send = keyOf('send', keyMap);
  const continued: Row = [`a backslash, then ${send}`, 'continue the line on the next one'];
  return tableText([...rows, ...(isLineMode ? [continued] : [])], state);
}

function commandHelp(state: ReplState, command: SlashCommand): string {
  const { example, summary } = command;
  const head = `${shownUsage(state, command)}: ${summary}`;
  if (!isOffered(state, command)) return `${head}\nit has no effect in line mode`;
  return example === undefined ? head : `${head}\nfor example: ${example}`;
}

/** Describes a command, a group, the keys or all commands; without a name, those that people use most. */
export function showHelp(state: ReplState, argument: string): Update {
  const groups = groupsOf(state);
  const commands = groups.flatMap((group) => group.commands);
  const name = argument.replace(/^\//, '');
  if (name === '') return showNow(state, shortHelp(state));
  if (name === 'all') return showNow(state, groupHelp(state, groups));
  if (name === 'keys') return showNow(state, keyHelp(state));
  const named = (wanted?: string) => commands.find((known) => known.name === wanted);
  const command = named(name) ?? named(commandOfOtherName.get(name)?.replace(/ .*/, ''));
  if (command !== undefined) return showNow(state, commandHelp(state, command));
  const group = groups.find((known) => known.name === name);
  if (group !== undefined) return showNow(state, groupHelp(state, [group]));
  return refuseUnknown(state, name);
}

function refuseUnknown(state: ReplState, name: string, otherHint?: string): Update {
  const commands = groupsOf(state).flatMap((group) => group.commands.filter(isListed));
  const known = commands.map((command) => command.name);
  // Commands that share the first half of the word; else one that almost matches it.
  const start = name.slice(0, Math.ceil(name.length / 2));
  const alike = known.filter((one) => one.startsWith(start)).slice(0, 3);
  const near = alike.length > 0 ? alike : [nearlyNamed(name, known) ?? []].flat();
  const choices = near.map((one) => `/${one}`).join(' or ');
  const guess = near.length === 0 ? '/help lists them' : `did you mean ${choices}?`;
  const advice = otherPrograms.find(([names]) => names.split(' ').includes(name))?.[1];
  const hint = advice?.replace('ID', state.conversation.id) ?? guess;
  const separator = hint.endsWith('?') ? ' ' : '; ';
  const hints = otherHint === undefined ? hint : `${hint}${separator}${otherHint}`;
  return refuse(state, `unknown command /${name}`, hints);
}
