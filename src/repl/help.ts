import { countOf } from '../output/figures.ts';
import { nearlyNamed } from '../near-name.ts';
import { pairsIn } from '../terminal/text/pairs.ts';
import { displayWidth, padToWidth } from '../terminal/text/width.ts';
import { wrapText } from '../terminal/text/wrap.ts';
import { keyBindings, keyLabel, keyOf } from './composer/keys/key-bindings.ts';
import type { CommandGroup, SlashCommand } from './slash-command.ts';
import type { Update, ReplState } from './state.ts';
import { refuse, showNow } from './step.ts';

// Command names of other chat programs.

/** What other names of commands stand for. They are not listed. */
export const commandOfOtherName: ReadonlyMap<string, string> = new Map([
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

export function isOffered({ isLineMode }: ReplState, { needsLiveRegion }: SlashCommand): boolean {
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
export const byUse: readonly string[] =
  'model resume new retry edit branches btw continue undo copy save attach context compact system param quit'.split(
    ' ',
  );

/** The commands that people use most, and where the others are. */
export function shortHelp(state: ReplState, commands: readonly SlashCommand[]): string {
  const shown = byUse.flatMap((name) => commands.find((command) => command.name === name) ?? []);
  const shell = state.hasShell ? shellRows.slice(0, 1) : [];
  const all: Row = ['/help all', 'all commands and prompt files; /help copy describes one'];
  return tableText([...commandRows(state, shown), ...shell, keyAdvice(state), all], state);
}

/** The commands of some groups, each group below its title; with several groups, more at the end. */
function groupHelp(state: ReplState, groups: readonly CommandGroup[]): string {
  const { isLineMode, hasShell } = state;
  const shell = hasShell ? shellRows : [];
  const more = { title: 'More', rows: [...shell, doubleSlash, keyAdvice(state), nameAdvice] };
  const sections = groups.map(({ title, commands }) => {
    const listed = commands.filter(({ isUnlisted }) => isUnlisted !== true);
    return { title, rows: commandRows(state, listed) };
  });
  const shown = [...sections, ...(groups.length > 1 ? [more] : [])].filter(
    ({ rows }) => rows.length > 0,
  );
  const linesOf = rowLayout(
    shown.flatMap(({ rows }) => rows),
    state,
  );
  const blocks = shown.map(({ title, rows }) => {
    const spoken = `${title}, ${countOf(rows.length, 'command')}:`;
    return [isLineMode ? spoken : title, ...rows.flatMap(linesOf)].join('\n');
  });
  return blocks.join(isLineMode ? '\n' : '\n\n');
}

/** Each key once, by its first chord. */
function keyHelp(state: ReplState): string {
  const { keyMap = keyBindings } = state;
  const rows = keyMap.flatMap(({ when, keys: [key], summary }): readonly Row[] =>
    key !== undefined && /^(?:composer|anywhere)$/.test(when) ? [[keyLabel(key), summary]] : [],
  );
  return tableText(rows, state);
}

/** The keys of line mode, if natter edits the line. */
const lineKeys: readonly (readonly [keyOrAction: string, does: string])[] = [
  ['send', 'sends the line; a line that ends with a backslash continues on the next one'],
  ['Up and Down', 'earlier and later prompts'],
  ['search-start', 'searches earlier prompts; pressed again, it finds an older one'],
  [
    'complete',
    'completes a command, its argument or an @file; or lists the choices, then takes them',
  ],
  ['Left, Right, Home, End', 'move in the line; Ctrl+Left and Ctrl+Right by words'],
  ['Ctrl+U and Ctrl+W', 'cut the line before the cursor, or the word; Ctrl+Y pastes it'],
  ['interrupt', 'stops an answer, cancels a question, or clears the line; twice, it quits'],
  ['delete-right-or-quit', 'quits, if the line is empty'],
];

function lineKeyHelp(state: ReplState): string {
  const rows = lineKeys.flatMap(([name, does]): readonly Row[] => {
    const bound = keyBindings.find(({ action }) => action === name);
    const key = bound === undefined ? name : keyOf(bound.action, state.keyMap);
    return key === undefined ? [] : [[key, does]];
  });
  return tableText(rows, state);
}

function commandHelp(state: ReplState, command: SlashCommand): string {
  const { example, summary } = command;
  const head = `${shownUsage(state, command)}: ${summary}`;
  if (!isOffered(state, command)) return `${head}\nit has no effect in line mode`;
  return example === undefined ? head : `${head}\nfor example: ${example}`;
}

export function showHelp(
  state: ReplState,
  groups: readonly CommandGroup[],
  argument: string,
): Update {
  const commands = groups.flatMap((group) => group.commands);
  const name = argument.replace(/^\//, '');
  if (name === '') return showNow(state, shortHelp(state, commands));
  if (name === 'all') return showNow(state, groupHelp(state, groups));
  if (name === 'keys') {
    return showNow(state, state.isLineMode ? lineKeyHelp(state) : keyHelp(state));
  }
  const named = (wanted?: string) => commands.find((known) => known.name === wanted);
  const command = named(name) ?? named(commandOfOtherName.get(name)?.replace(/ .*/, ''));
  if (command !== undefined) return showNow(state, commandHelp(state, command));
  const group = groups.find((known) => known.name === name);
  if (group !== undefined) return showNow(state, groupHelp(state, [group]));
  return refuseUnknown(state, groups, name);
}

/** Commands that share the first half of the word; else one that almost matches it. */
function nearNames(commands: readonly SlashCommand[], word: string): readonly string[] {
  const names = commands.map(({ name }) => name);
  const start = word.slice(0, Math.ceil(word.length / 2));
  const near = names.filter((name) => start !== '' && name.startsWith(start));
  return near.length > 0 ? near : [nearlyNamed(word, names) ?? []].flat();
}

export function refuseUnknown(
  state: ReplState,
  groups: readonly CommandGroup[],
  name: string,
  otherHint?: string,
): Update {
  const commands = groups.flatMap((group) => group.commands);
  const listed = commands.filter(({ isUnlisted }) => isUnlisted !== true);
  const near = nearNames(listed, name)
    .slice(0, 3)
    .map((one) => `/${one}`);
  const guess = near.length === 0 ? '/help lists them' : `did you mean ${near.join(' or ')}?`;
  const advice = otherPrograms.find(([names]) => names.split(' ').includes(name))?.[1];
  const hint = advice?.replace('ID', state.conversation.id) ?? guess;
  const separator = hint.endsWith('?') ? ' ' : '; ';
  const hints = otherHint === undefined ? hint : `${hint}${separator}${otherHint}`;
  return refuse(state, `unknown command /${name}`, hints);
}
