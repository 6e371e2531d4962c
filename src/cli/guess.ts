// What people type for natter's commands and options: mistyped, or as in other chat clients.
import type { Command, CommanderError } from 'commander';
import { Failure } from '../failure.ts';
import { definitions, settingKeys } from '../settings/definitions.ts';
import { commandsAbove, childNamed, namesBelow, pathOf } from './help-details.ts';
import type { ChatOptions } from '../commands/chat/chat-run.ts';
import { nearlyNamed } from '../near-name.ts';
import { createNotices } from '../output/notices.ts';
import type { StartedRun } from '../run.ts';
import { maskMessage } from '../secrets/secrets.ts';

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
 * Refuses the words that the default command of a group gets because they name no command of the group.
 * @param shows the command of the group that shows `thing`, for a word that resembles no command
 * @throws Failure `usage`
 */
export function refuseWords(list: Command, thing: string, shows: string): void {
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
  { context, options }: StartedRun<ChatOptions>,
  program: Command,
  words: readonly string[],
): Promise<void> {
  const suggestions = mayBeCommand(words, options) ? suggestCommands(words, program) : undefined;
  if (suggestions === undefined) return;
  const prompt = words.map(shownWord).join(' ');
  const commands = suggestions.join(' or ');
  const { stdin, stderr } = context.streams;
  const canAsk = stdin.isTerminal && stderr.isTerminal;
  const isQuiet = options.quiet === true && !canAsk;
  const notices = createNotices(stderr, isQuiet, (text) => maskMessage(context.secrets, text));
  const warning = `"${prompt}" looks like ${commands === '' ? 'a command' : `the command ${commands}`}`;
  notices.notice(canAsk ? warning : `${warning}; sending it as a prompt`);
  if (!canAsk) return;
  if (options.input) {
    const reply = await context.ask('Send it as a prompt? [y/N] ', { signal: context.signal });
    if (/^y(es)?$/i.test(reply.trim())) return;
  }
  const suggestion = commands === '' ? '' : `did you mean ${commands}? `;
  throw new Failure('usage', `"${prompt}" was not sent`, {
    hint: `${suggestion}to send it: ‹natter -- ${prompt}›`,
  });
}

/** The default command is typed without its name. */
const commandPath = (command: Command) => pathOf(command).replace(/^natter chat$/, 'natter');

/** Options after the commands that they are typed after; those of natter itself are alone. */
const foreignOptions: ForeignWords = [
  ['-p --print --prompt', '‹natter "a prompt"› prints the answer and exits'],
  ['-k --key --api-key --token', 'use ‹natter auth login›, or NATTER_API_KEY in scripts'],
  ['-v', '--version prints the version; NATTER_DEBUG=1 writes a debug log'],
  ['--verbose --debug', 'NATTER_DEBUG=1 writes a debug log'],
  ['-a --attachment --fragment', '-f attaches a text file'],
  ['--image --images', 'natter sends no images; -f attaches a text file'],
  ['-o --output', '‹natter "a prompt" > FILE› writes the answer to a file; --json prints JSON'],
  ['--format --output-format --response-format', '--json prints JSON, --jsonl an event per line'],
  ['-r -C --session --session-id --cid', '--resume ID continues a conversation, -c the last one'],
  ['--fork-session', '-c --branch or --resume ID --branch continues in a copy'],
  ['--system-prompt', '-s sets the system prompt'],
  [
    '--append-system-prompt',
    '-s sets the system prompt; it replaces the one of the settings, so repeat that to keep it',
  ],
  ['--schema-multi', '--schema "[name, age int]" asks for a list; the brackets make it one'],
  ['--json-schema', '--schema asks for JSON and checks it'],
  ['--max-turns', 'natter sends one prompt and gets one answer: there are no turns to limit'],
  ['--fallback-model', '--fallback MODEL answers if the first model fails'],
  ['--max-budget-usd', '‹natter config set budget 5usd/week› limits what a profile spends'],
  ['--bare', 'natter runs no hooks, plugins or tools, so there is nothing to leave out'],
  ['-S', '--no-stream prints the answer at its end; ‹natter conversations show ID› shows one'],
  ['-n --no-log --no-session-persistence', '--no-save does not save the conversation'],
  ['-l --list', '‹natter conversations› lists conversations, ‹natter models› lists the models'],
  ['--delete', '‹natter conversations delete ID› moves a conversation to the trash'],
  ['--no-markdown', '--plain prints plain text on a terminal, --raw exactly the bytes'],
  ['--no-color', 'use --color never'],
  ['--stream', 'answers are streamed unless --no-stream is given'],
  [
    '--template --pattern --prompt-file',
    '‹natter run NAME› sends a prompt file; ‹natter prompts› lists them',
  ],
  ['--models --list-models', '‹natter models list› lists the models'],
  ['-T --temp --temperature', 'use --param temperature=0.2, if the service takes it'],
  ['--top-p --topp', 'use --param top_p=0.9, if the service takes it'],
  ['--top-k --topk', 'use --param top_k=40, if the service takes it'],
  ['--seed', 'use --param seed=1, if the service takes it'],
  [
    'auth/login/-k auth/login/--key auth/login/--api-key auth/login/--token',
    '‹natter auth login› asks for the key, or reads it from a file: ‹natter auth login < key.txt›',
  ],
  [
    'compare/--fallback',
    'a comparison shows what each model answers, so no other model answers for one that fails',
  ],
  ['compare/-x compare/--extract', 'it is for one model: ‹natter -x …›'],
  ['compare/-M compare/--messages', 'it is for one model: ‹natter -M …›'],
];

const formatOptions = new Set(['-o', '--output', '--format', '--output-format']);
function foreignHint(name: string, path: string, { options }: Command): string | undefined {
  const place = path.split(' ').slice(1);
  const hasJson = options.some(({ long }) => long === '--json');
  const format = formatOptions.has(name) && hasJson ? '--json prints JSON' : undefined;
  return meantBy(foreignOptions, [...place, name].join('/')) ?? format;
}

/** The hint for the name of a setting that is no option: only a command that sends prompts heeds it. */
function settingHint(name: string, { options }: Command): string | undefined {
  const grouping = options.find(({ long }) => long === '--by')?.argChoices;
  if (grouping?.includes(name.slice(2)) === true)
    return `--by ${name.slice(2)} shows a row for each`;
  // Elsewhere the advice would change a stored setting without an effect on the command.
  if (!options.some(({ long }) => long === '--param')) return undefined;
  const key = settingKeys.find((candidate) => `--${definitions[candidate].name}` === name);
  if (key === undefined) return undefined;
  const { name: setting, variable } = definitions[key];
  const once = variable === undefined ? '' : `, or ${variable} for one run`;
  return `it is a setting: ‹natter config set ${setting} <value>›${once}`;
}

/** @param suggestion of commander: `you mean --model?` */
function unknownOption(typed: string, suggestion: string | undefined, command: Command): Failure {
  // Without its value, which may be a key.
  const name = typed.startsWith('-k') ? '-k' : typed.replace(/=.*/s, '');
  const path = commandPath(command);
  const options = [command, ...commandsAbove(command)].flatMap((one) => one.options);
  const isKnown = options.some(({ long, short }) => name === long || name === short);
  if (isKnown && name !== typed) return new Failure('usage', `option '${name}' takes no value`);
  const see = suggestion === undefined ? 'see' : `did ${suggestion} See`;
  const takesPrompt = command.registeredArguments.some((argument) => argument.name() === 'prompt');
  const dashes = takesPrompt ? '; put text that starts with a dash after --' : '';
  const hint =
    foreignHint(name, path, command) ??
    settingHint(name, command) ??
    `${see} ‹${path} --help›${dashes}`;
  return new Failure('usage', `unknown option '${name}'`, { hint });
}

/** Why options cannot be used with others. */
const conflictHints: ForeignWords = [
  ['--every', 'each group is a new prompt, and is not saved; --json prints a line for each'],
  ['--split', 'a long text is sent in several requests, which are not a conversation'],
  ['--resume', '--continue means --resume latest'],
  ['--diff', 'use a different tool to compare the answers in the JSON'],
];

/**
 * Converts an error of commander; undefined when commander exits after help or version.
 * @param args the whole command line
 */
export function usageFailure(
  error: CommanderError,
  command: Command,
  args: readonly string[],
): Failure | undefined {
  if (error.exitCode === 0 || error.code === 'commander.help') return undefined;
  const unknown = /^error: unknown option '(.+?)'(?:\n\(Did ([^\n]+)\))?$/s.exec(error.message);
  const [, typed, nearest] = unknown ?? [];
  if (typed !== undefined) return unknownOption(typed, nearest, command);
  const [text = '', suggestion = ''] = error.message.replace(/^error: /, '').split('\n');
  const message = text
    .replace(/^command-argument value (.+) is invalid for argument '(.+)'/, 'unknown $2 $1')
    .replace(/\. Expected/, ': expected')
    .replace(/\.$/, '');
  const see = suggestion === '' ? 'see' : suggestion.replace(/^\(Did (.*)\)$/, 'did $1 See');
  const isBelowNatter = command.parent !== null && command.parent.parent === null;
  const isExcess = /^commander\.(?:excessArguments|invalidArgument)$/.test(error.code);
  const mayBePrompt = args.length > 2 && !args.some((word) => word.startsWith('-'));
  // Words after a command that takes none, or others, may be a prompt: `natter last night I dreamt`.
  if (isExcess && isBelowNatter && args[0] === command.name() && mayBePrompt) {
    const isPlain = args.every((word) => /^[\w.,:@%+=/-]+$/.test(word));
    const prompt = isPlain ? args.join(' ') : `${args[0]} …`;
    return new Failure('usage', message, { hint: `for a prompt: ‹natter chat ${prompt}›` });
  }
  const [, option = ''] = /^option '.*?(--[\w-]+).* cannot be used with/.exec(text) ?? [];
  const hint = meantBy(conflictHints, option) ?? `${see} ‹${commandPath(command)} --help›`;
  return new Failure('usage', message, { hint });
}
