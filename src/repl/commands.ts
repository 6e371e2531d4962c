import { btwCommand } from './answers/aside.ts';
import { answerCommands } from './answers/versions.ts';
import { compactCommand } from './context/compaction.ts';
import type { ArgumentKind, Candidate } from './composer/completion.ts';
import { draftFrom, isEmpty, withDraft } from './composer/text-buffer.ts';
import { contextCommand } from './context/context.ts';
import { conversationCommands } from './conversations/conversations.ts';
import { exportCommand, textCommands } from './export.ts';
import { attachCommand } from './files/attachments.ts';
import {
  byUse,
  isOffered,
  refuseUnknown,
  shortHelp,
  showHelp,
  commandOfOtherName,
} from './help.ts';
import { openPromptFile } from './prompt-files/send-prompt-file.ts';
import type { Session } from './session.ts';
import { settingsCommands } from './settings.ts';
import { type CommandGroup, type SlashCommand, redraw } from './slash-command.ts';
import type { Update, ReplState } from './state.ts';
import { andThen, printNotice, quit, refuse, startActivity, step, task } from './step.ts';

const help: SlashCommand = {
  name: 'help',
  argument: '[name]',
  summary: 'list the commands, or describe one or a group',
  example: '/help copy',
  isImmediate: true,
  showsNow: true,
  completes: (_repl, state) => commandCandidates(state),
  run: (state, argument) => showHelp(state, groupsOf(state), argument),
};

export const scrollAway = ({ screen }: Session): void => screen.scrollAway();

/** Elsewhere, `/clear` begins a new conversation. */
function clearWindow(state: ReplState): Update {
  const cleared = step(state, task(scrollAway, undefined));
  if (state.conversation.turns.size === 0) return cleared;
  return andThen(cleared, (next) =>
    printNotice(next, 'the conversation continues; /new starts a new one'),
  );
}

const programCommands: readonly SlashCommand[] = [
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
    run: (state) => step(state, task(redraw, undefined)),
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
  const answers = [...answerCommands, btwCommand];
  const text = [...textCommands, attachCommand];
  const ofConversation = [contextCommand, compactCommand];
  const conversations = [exportCommand, ...conversationCommands, ...ofConversation];
  const prompts = state === undefined ? [] : promptCommands(state);
  return [
    { name: 'answers', title: 'Answers', commands: answers },
    { name: 'text', title: 'Text and files', commands: text },
    { name: 'conversations', title: 'Conversations', commands: conversations },
    { name: 'settings', title: 'Settings', commands: settingsCommands },
    { name: 'prompts', title: 'Prompt files', commands: prompts },
    { name: 'program', title: 'natter', commands: [help, ...programCommands] },
  ];
}

export const slashCommands = groupsOf().flatMap(({ commands }) => commands);

const byName = new Map(slashCommands.map((command) => [command.name, command]));

/** Prompt files as commands; a command of natter wins over a file with its name. */
function promptCommands({ promptFiles }: ReplState): readonly SlashCommand[] {
  return promptFiles
    .filter(({ name }) => !byName.has(name))
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
  return (panel ?? (isHelp ? shortHelp(state, slashCommands) : '')).split('\n').filter(Boolean);
}

function runPromptFile(state: ReplState, name: string, argument: string): Update {
  const onMissing = (current: ReplState) => refuseMissing(current, name, argument);
  const input = { name, argument, onMissing };
  return startActivity(state, 'reading a prompt file', openPromptFile, input);
}

/** Reports that no prompt file has this name. The line returns to the composer, if that is empty. */
export function refuseMissing(state: ReplState, name: string, argument: string): Update {
  const { composer, isLineMode } = state;
  const draft = draftFrom(`/${name} ${argument}`.trimEnd());
  const isRestored = !isLineMode && isEmpty(composer);
  const restored = isRestored && {
    composer: withDraft(composer, draft),
    restoredText: draft.text,
  };
  const hint = '// sends a line that starts with a slash';
  return refuseUnknown({ ...state, ...restored }, groupsOf(state), name, hint);
}

export function findCommand(name: string): SlashCommand | undefined {
  return byName.get(name);
}

export function argumentKind(name: string): ArgumentKind | undefined {
  const command = byName.get(name);
  if (command === undefined) return 'word';
  const { completes } = command;
  if (completes === undefined) return undefined;
  return completes === 'files' ? 'path' : 'value';
}

/** Letters after which an unlisted command is meant. */
const meantLetters = 3;

/** The commands that are only offered to those who type the start of their name, and other names of commands. */
function unlistedCommands(typed: string): readonly SlashCommand[] {
  if (typed.length < meantLetters) return [];
  const others = [...commandOfOtherName].flatMap(([name, of]) => {
    const command = byName.get(of.replace(/ .*/, ''));
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
    .filter(({ isUnlisted }) => isUnlisted !== true)
    .toSorted((one, other) => placeInUse(one) - placeInUse(other));
  const commands = [...listed, ...promptCommands(state), ...unlistedCommands(typed)];
  return commands
    .filter((command) => isOffered(state, command))
    .map(({ name, argument, summary }) => ({
      value: name,
      summary,
      ...(argument !== undefined && { argument }),
    }));
}

/** A line that starts with a slash: the command of natter that it names, if any, its name and its argument. */
function readLine(state: ReplState, line: string) {
  const [, typed = '', rest = ''] = /^\/(\S*)\s*([^]*)$/.exec(line) ?? [];
  const isFile = state.promptFiles.some(({ name }) => name === typed);
  const known = isFile ? undefined : commandOfOtherName.get(typed);
  // Another name may stand for a command with the first word of its argument.
  const [name = '', word = ''] = (known ?? typed).split(' ');
  return { command: byName.get(name), name, argument: `${word} ${rest}`.trim() };
}

/** The command of natter that the first line of a text names, if any. */
export const commandIn = (state: ReplState, text: string): SlashCommand | undefined =>
  readLine(state, text).command;

/** Runs a typed line that starts with a slash, or is only a question mark. */
export function runCommand(state: ReplState, line: string): Update {
  if (line === '?') return help.run(state, '');
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
export function linesAfterCommand(
  state: ReplState,
  text: string,
): { readonly line: string; readonly rest: string } | undefined {
  const command = commandIn(state, text);
  const end = text.indexOf('\n');
  if (command === undefined || command.takesLines === true || end === -1) return undefined;
  return { line: text.slice(0, end), rest: text.slice(end + 1) };
}
