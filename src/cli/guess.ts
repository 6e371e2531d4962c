// What people type for natter's commands and options: mistyped, or as in other chat clients.
import type { Command } from 'commander';
import { Failure } from '../failure.ts';
import { childNamed, namesBelow, setAction } from './help-details.ts';
import type { ChatOptions } from '../commands/chat/run.ts';
import { nearlyNamed } from '../near-name.ts';
import type { StartedRun } from '../run.ts';

/** Words of other clients, and what natter has for them. */
export type ForeignWords = readonly (readonly [words: string, meant: string])[];

/** Commands, and what to type in natter; empty if natter has nothing of the kind. */
const foreignCommands: ForeignWords = [
  ['version', '‹natter --version›'],
  ['update upgrade', '‹natter --version --verbose›'],
  ['ask new repl interactive', 'natter'],
  ['resume', '‹natter --resume›'],
  ['continue', '‹natter -c›'],
  ['history chats chat-history logs ls', '‹natter conversations list›'],
  ['keys setup init configure', '‹natter auth login›'],
  ['settings', '‹natter config list›'],
  ['stats cost costs', '‹natter usage›'],
  ['template templates patterns', '‹natter prompts list›'],
  ['role roles', '‹natter --role NAME›'],
  ['profile profiles', '‹natter config profiles›'],
  ['quit exit alias aliases plugins mcp serve schemas fragments collections tools', ''],
];

/** Verbs after the name of a thing, as in `logs list` or `keys set openai`. */
const foreignVerbs = 'list ls show path set add edit';

/** Commands after the name of one of natter's groups, and how they go on after `natter`. */
const foreignChildren: ForeignWords = [
  ['conversations/rm conversations/remove conversations/del', 'conversations delete'],
  ['conversations/ls', 'conversations list'],
  ['conversations/mv', 'conversations rename'],
  ['conversations/cat conversations/view', 'conversations show'],
  ['conversations/find conversations/grep', 'conversations search'],
  ['conversations/save', 'conversations export'],
  ['conversations/restore', 'conversations undelete'],
  ['models/ls', 'models list'],
  ['models/show models/cat models/view', 'models get'],
  ['prompts/ls', 'prompts list'],
  ['prompts/get prompts/cat prompts/view', 'prompts show'],
  ['models/default models/set models/set-default', 'config set model <model>'],
  ['models/use models/select models/switch', 'config set model <model>'],
];

/** What natter has for a word of a different client. */
export const meantBy = (table: ForeignWords, word: string): string | undefined =>
  table.find(([words]) => words.split(' ').includes(word))?.[1];

/**
 * Sets what the default command of a group does. It gets every word that names no command of the group, and refuses it.
 * @param shows the command of the group that shows `thing`, for a word that resembles no command
 */
export function setDefaultAction(
  list: Command,
  thing: string,
  shows: string,
  load: Parameters<typeof setAction>[1],
): void {
  setAction(list.allowExcessArguments(), async () => {
    refuseWords(list, thing, shows);
    return load();
  });
}

/** @throws Failure `usage` */
function refuseWords(list: Command, thing: string, shows: string): void {
  const { args, parent } = list;
  const [word, ...rest] = args;
  if (word === undefined || parent === null) return;
  const group = `natter ${parent.name()}`;
  if (parent.args[0] === list.name()) {
    throw new Failure('usage', `${group} ${list.name()} takes no arguments, but got "${word}"`, {
      hint: `to show ${thing}: ‹${group} ${shows} ${shownWord(word)}›`,
    });
  }
  const meant = meantBy(foreignChildren, `${parent.name()}/${word}`);
  const near = nearlyNamed(word, namesBelow(parent));
  const others = rest.every((other) => /^[\w.-]+$/.test(other)) ? rest : ['…'];
  const takes = childNamed(parent, near ?? '')?.registeredArguments.length ?? 0;
  let hint = `to show ${thing}: ‹${group} ${shows} ${word}›`;
  if (meant !== undefined) {
    const command = rest.length > 0 ? meant.replace(/ <.*/, '') : meant;
    hint = `‹${['natter', command, ...others].join(' ')}›`;
  } else if (near !== undefined && rest.length <= takes) {
    hint = `did you mean ‹${[group, near, ...others].join(' ')}›?`;
  } else if (rest.length > 0) {
    hint = `to send it as a prompt: ‹natter chat ${parent.name()} ${args.join(' ')}›`;
  }
  throw new Failure('usage', `there is no command "${group} ${word}"`, { hint });
}

/** A word of a suggestion; text is left out, as it may be long or need quotes. */
const shownWord = (word: string): string => (/^[\p{L}\p{N}_.:/@=-]+$/u.test(word) ? word : '…');

/**
 * The commands that a prompt may be a mistyped form of (`modles`, `model list`, `login`), or that have the same effect in
 * natter as a command of another client (`history`). An empty list is a command that natter lacks, such as `quit`;
 * undefined is a prompt.
 */
export function suggestCommands(
  words: readonly string[],
  program: Command,
): readonly string[] | undefined {
  const [first = '', second, ...rest] = words;
  const word = first.toLowerCase();
  const foreign = meantBy(foreignCommands, word);
  const isAlone = second === undefined;
  const hasVerb = !isAlone && foreignVerbs.split(' ').includes(second) && rest.length < 2;
  if (foreign !== undefined && (isAlone || hasVerb)) return foreign === '' ? [] : [foreign];
  // Too many words differ from a short name by a letter: `fun` does not mean `run`, nor `what` `chat`.
  const names = namesBelow(program).filter((name) => name.length > 3 && name !== 'chat');
  const near = childNamed(program, nearlyNamed(first, names) ?? '');
  if (isAlone) {
    const parents = program.commands.filter((parent) => childNamed(parent, word) !== undefined);
    if (parents.length > 0) return parents.map((parent) => `‹natter ${parent.name()} ${word}›`);
    return near && [`‹natter ${near.name()}›`];
  }
  const child = near && childNamed(near, nearlyNamed(second, namesBelow(near)) ?? second);
  if (child === undefined || rest.length > child.registeredArguments.length) return undefined;
  return [`‹${['natter', near?.name(), child.name(), ...rest.map(shownWord)].join(' ')}›`];
}

/**
 * Whether a prompt may be a mistyped command with its arguments, or one of another program. In a resumed conversation, a
 * word such as "continue" is a prompt.
 */
export function mayBeCommand(words: readonly string[], options: ChatOptions): boolean {
  const { continue: isContinued, resume, isPrompt, dryRun, interactive } = options;
  const isPromptOf = [isContinued, resume, isPrompt, dryRun, interactive];
  if (isPromptOf.some((option) => option !== undefined && option !== false)) return false;
  return words.length <= 4 && /^[A-Za-z-]{2,}$/.test(words[0] ?? '');
}

/**
 * Asks for confirmation of a prompt that is probably a mistyped command (`natter modles`, `natter model list`,
 * `natter login`). A pipe or a script may mean it, so there it is sent with a notice on standard error.
 * @throws Failure `usage` if the user does not confirm
 */
export async function confirmMistakenCommand(
  { context, options, presentation: { notices } }: StartedRun<ChatOptions>,
  program: Command,
  words: readonly string[],
): Promise<void> {
  const suggestions = mayBeCommand(words, options) ? suggestCommands(words, program) : undefined;
  if (suggestions === undefined) return;
  const prompt = words.map(shownWord).join(' ');
  const commands = suggestions.join(' or ');
  const { stdin, stderr } = context.streams;
  const text = `"${prompt}" looks like ${commands === '' ? 'a command' : `the command ${commands}`}`;
  if (!stdin.isTerminal || !stderr.isTerminal) {
    return notices.notice(`${text}; sending it as a prompt`);
  }
  notices.warning(text);
  if (options.input) {
    const reply = await context.ask('Send it as a prompt? [y/N] ', { signal: context.signal });
    if (/^y(es)?$/i.test(reply.trim())) return;
  }
  const suggestion = commands === '' ? '' : `did you mean ${commands}? `;
  throw new Failure('usage', `"${prompt}" was not sent`, {
    hint: `${suggestion}to send it: ‹natter -- ${prompt}›`,
  });
}
