import { displayWidth, padToWidth } from '../../terminal/text/width.ts';
import { nearlyNamed } from '../../near-name.ts';
import { wrapText } from '../../terminal/text/wrap.ts';
import type { ArgumentKind } from '../editing/completion.ts';
import { keyBindings, keyLabel } from '../editing/keys/key-bindings.ts';
import { printNotice, refuse, step, type Step } from '../reducer/step.ts';
import type { ReplState } from '../state/state.ts';
import { answerCommands } from './answer-commands.ts';
import { sessionCommands } from './session-commands.ts';
import type { SlashCommand } from './slash-command.ts';

const help: SlashCommand = {
  name: 'help',
  argument: '[name]',
  summary: 'list the commands, or describe one',
  completes: 'commands',
  run: showHelp,
};

/** Every slash command, in the order of `/help`. */
export const slashCommands: readonly SlashCommand[] = [help, ...answerCommands, ...sessionCommands];

const byName = new Map(slashCommands.map((command) => [command.name, command]));

export function findCommand(name: string): SlashCommand | undefined {
  return byName.get(name);
}

export function argumentKind(name: string): ArgumentKind | undefined {
  const completes = byName.get(name)?.completes;
  if (completes === undefined) return undefined;
  return completes === 'files' ? 'path' : 'value';
}

function isOffered({ isLineMode }: ReplState, { needsLiveRegion }: SlashCommand): boolean {
  return !isLineMode || needsLiveRegion !== true;
}

/** Runs a typed line that starts with a slash. */
export function runCommand(state: ReplState, line: string): Step {
  const [, name = '', argument = ''] = /^\/(\S*)\s*([^]*)$/.exec(line) ?? [];
  const command = findCommand(name);
  if (command !== undefined && !isOffered(state, command)) {
    return refuse(state, `/${name} has no effect in line mode`);
  }
  if (command !== undefined && command.argument === undefined && argument.trim() !== '') {
    const hint = command.surplusHint ?? `type /${name} alone`;
    return refuse(state, `/${name} takes no argument`, hint);
  }
  if (command !== undefined) return command.run(state, argument.trim());
  const escapeHint = '; // sends a line that starts with a slash';
  return name === '' ? step(state) : refuseUnknown(state, name, escapeHint);
}

/** The command named by the first line of a text. */
function commandOf(text: string): SlashCommand | undefined {
  return findCommand(/^\/(\S*)/.exec(text)?.[1] ?? '');
}

/** Whether the first line of a text is a slash command. */
export function isCommandLine(text: string): boolean {
  return commandOf(text) !== undefined;
}

/** Splits a one-line command from the lines after it; undefined if there are none. */
export function linesAfterCommand(
  text: string,
): { readonly line: string; readonly rest: string } | undefined {
  const command = commandOf(text);
  const end = text.indexOf('\n');
  if (command === undefined || command.takesLines === true || end === -1) return undefined;
  return { line: text.slice(0, end), rest: text.slice(end + 1) };
}

/** Whether the transcript shows a command before its output. */
export function appearsInTranscript(line: string): boolean {
  return commandOf(line)?.isSilent !== true;
}

/** Whether a typed line runs at once, even during an answer. */
export function isImmediate(line: string): boolean {
  return commandOf(line)?.isImmediate === true;
}

type Row = readonly [term: string, summary: string];

/** Columns before a summary that is below its term. */
const indent = 4;

/** `/name` with its argument, as in `/help`. */
export function usageOf({ name, argument }: SlashCommand): string {
  return argument === undefined ? `/${name}` : `/${name} ${argument}`;
}

function wrapped(text: string, columns: number): readonly string[] {
  const width = Math.max(1, columns - indent - 1);
  return wrapText(text, width).map((row) => ' '.repeat(indent) + row);
}

/** Two columns if they fit, else each summary below its term; in line mode `term: summary`. */
function tableText(rows: readonly Row[], { columns, isLineMode }: ReplState): string {
  if (isLineMode) return rows.map(([term, summary]) => `${term}: ${summary}`).join('\n');
  const widest = Math.max(...rows.map(([term]) => displayWidth(term)));
  const longest = Math.max(...rows.map(([, summary]) => displayWidth(summary)));
  const lines =
    widest + longest + 2 < columns
      ? rows.map(([term, summary]) => `${padToWidth(term, widest)}  ${summary}`)
      : rows.flatMap(([term, summary]) => [term, ...wrapped(summary, columns)]);
  return lines.join('\n');
}

const doubleSlash: Row = ['//', 'sends a line that starts with a slash'];
const keyAdvice: Row = ['/help keys', 'all keys; the most important: Enter, Ctrl+J, Esc, Ctrl+C'];

function commandHelp(state: ReplState): string {
  const offered = slashCommands.filter((command) => isOffered(state, command));
  const rows = offered.map((command): Row => [usageOf(command), command.summary]);
  const others = state.isLineMode ? [doubleSlash] : [doubleSlash, keyAdvice];
  return tableText([...rows, ...others], state);
}

/** Each key once, by its first chord. */
function keyHelp(state: ReplState): string {
  const shown = keyBindings.filter(({ when }) => when === 'composer' || when === 'anywhere');
  const rows = shown.map(({ keys: [key = ''], summary }): Row => [keyLabel(key), summary]);
  return tableText(rows, state);
}

function showHelp(state: ReplState, argument: string): Step {
  const name = argument.replace(/^\//, '');
  if (name === '') return printNotice(state, commandHelp(state));
  if (name === 'keys' && !state.isLineMode) return printNotice(state, keyHelp(state));
  const command = findCommand(name);
  if (command === undefined) return refuseUnknown(state, name);
  return printNotice(state, `${usageOf(command)}: ${command.summary}`);
}

/** Command names of other chat programs, with natter's equivalent. */
const equivalents: ReadonlyMap<string, string> = new Map([
  ['exit', '/quit ends natter'],
  ['q', '/quit ends natter'],
  ['bye', '/quit ends natter'],
  ['export', 'in a shell: natter conversations export ID'],
  ['delete', 'in a shell: natter conversations delete ID'],
  ['search', '/conversations TEXT searches them'],
  ['history', '/conversations lists them; Ctrl-R searches your prompts'],
  ['load', '/resume opens a conversation'],
  ['open', '/resume opens a conversation'],
  ['reset', '/new starts a conversation'],
  ['file', '/attach adds a file to the next prompt'],
  ['add', '/attach adds a file to the next prompt'],
  ['tokens', '/usage shows the tokens'],
  ['cost', '/usage shows the tokens'],
  ['regenerate', '/retry sends the last prompt again'],
  ['login', 'in a shell: natter auth login'],
  ['connect', 'in a shell: natter auth login'],
]);

/** Commands that share the longest prefix with the word, at least half of it; else one that almost matches it. */
function nearNames(word: string): readonly string[] {
  for (let length = word.length; length >= word.length / 2 && length > 0; length -= 1) {
    const near = slashCommands.filter(({ name }) => name.startsWith(word.slice(0, length)));
    if (near.length > 0) return near.map(({ name }) => `/${name}`);
  }
  const almost = nearlyNamed(word, byName.keys());
  return almost === undefined ? [] : [`/${almost}`];
}

function refuseUnknown(state: ReplState, name: string, otherHint = ''): Step {
  const near = nearNames(name).slice(0, 3);
  const guess = near.length === 0 ? '/help lists them' : `did you mean ${near.join(' or ')}`;
  const hint = equivalents.get(name)?.replace('ID', state.conversation.id) ?? guess;
  return refuse(state, `unknown command /${name}`, `${hint}${otherHint}`);
}
