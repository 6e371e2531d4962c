import type { ArgumentKind } from '../editing/completion.ts';
import { refuse, printNotice, step, type Step } from '../reducer/step.ts';
import { answerCommands } from './answer-commands.ts';
import { conversationCommands } from './conversation-commands.ts';
import { sessionCommands } from './session-commands.ts';
import { settingCommands } from './setting-commands.ts';
import { commandHelp, keyHelp, usageOf } from './help-text.ts';
import type { SlashCommand } from './slash-command.ts';
import type { ReplState } from '../state/state.ts';

/** Command names of other chat programs, with natter's equivalent. */
const equivalents: Readonly<Record<string, string>> = {
  exit: '/quit leaves',
  q: '/quit leaves',
  bye: '/quit leaves',
  export: 'in a shell: natter conversations export ID',
  delete: 'in a shell: natter conversations delete ID',
  search: '/conversations TEXT searches them',
  history: '/conversations lists them; Ctrl-R searches your prompts',
  load: '/resume opens a conversation',
  open: '/resume opens a conversation',
  reset: '/new starts a conversation',
  file: '/attach adds a file to the next prompt',
  add: '/attach adds a file to the next prompt',
  tokens: '/usage shows the tokens',
  cost: '/usage shows the tokens',
  regenerate: '/retry sends the last prompt again',
  login: 'in a shell: natter auth login',
  connect: 'in a shell: natter auth login',
};

/** How to do in natter what this command does in other programs; undefined for unknown names. */
function equivalentOf(name: string, { conversation }: ReplState): string | undefined {
  return Object.hasOwn(equivalents, name)
    ? equivalents[name]?.replace('ID', conversation.id)
    : undefined;
}

const help: SlashCommand = {
  name: 'help',
  argument: '[name]',
  summary: 'list the commands, or describe one',
  completes: 'commands',
  run: showHelp,
};

/** Every slash command, in the order of `/help`. */
export const slashCommands: readonly SlashCommand[] = [
  help,
  ...answerCommands,
  ...conversationCommands,
  ...settingCommands,
  ...sessionCommands,
];

const byName = new Map(slashCommands.map((command) => [command.name, command]));

export function findCommand(name: string): SlashCommand | undefined {
  return byName.get(name);
}

export function argumentKind(name: string): ArgumentKind | undefined {
  const completes = byName.get(name)?.completes;
  if (completes === undefined || completes === 'none') return undefined;
  return completes === 'files' ? 'path' : 'value';
}

function showHelp(state: ReplState, argument: string): Step {
  const name = argument.replace(/^\//, '');
  if (name === 'keys' && !state.isLineMode) return printNotice(state, keyHelp(state));
  if (name !== '') {
    const command = findCommand(name);
    if (command === undefined) return refuseUnknown(state, name);
    return printNotice(state, `${usageOf(command)}: ${command.summary}`);
  }
  return printNotice(
    state,
    commandHelp(
      slashCommands.filter((command) => isOffered(state, command)),
      state,
    ),
  );
}

/** Commands that share the longest prefix with the word, at least half of it. */
function nearNames(word: string): readonly string[] {
  for (let length = word.length; length >= word.length / 2 && length > 0; length -= 1) {
    const near = slashCommands.filter(({ name }) => name.startsWith(word.slice(0, length)));
    if (near.length > 0) return near.map(({ name }) => `/${name}`);
  }
  return [];
}

function refuseUnknown(state: ReplState, name: string, way = ''): Step {
  const near = nearNames(name).slice(0, 3);
  const others = near.length === 0 ? '/help lists them' : `did you mean ${near.join(' or ')}`;
  const suggestion = equivalentOf(name, state) ?? others;
  return refuse(state, `unknown command /${name}`, `${suggestion}${way}`);
}

function isOffered({ isLineMode }: ReplState, { isOfScreen }: SlashCommand): boolean {
  return !isLineMode || isOfScreen !== true;
}

/** Runs a typed line that starts with a slash. */
export function runCommand(state: ReplState, line: string): Step {
  const [, name = '', argument = ''] = /^\/(\S*)\s*([^]*)$/.exec(line) ?? [];
  const command = findCommand(name);
  if (command !== undefined && !isOffered(state, command)) {
    return refuse(state, `/${name} has no effect in line mode`);
  }
  if (command !== undefined) return command.run(state, argument.trim());
  const way = '; // sends a line that starts with a slash';
  return name === '' ? step(state) : refuseUnknown(state, name, way);
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

/** Whether a command is shown in the transcript before its output. */
export function isEchoed(line: string): boolean {
  return commandOf(line)?.isSilent !== true;
}

/** Whether a typed line runs at once, even during an answer. */
export function isImmediate(line: string): boolean {
  return commandOf(line)?.isImmediate === true;
}
