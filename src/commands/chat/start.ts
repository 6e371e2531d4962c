import { Failure } from '../../failure.ts';
import { nearlyNamed } from '../../near-name.ts';
import { createNotices } from '../../output/notices.ts';
import type { Context, CompletedCommand } from '../../run.ts';
import { maskMessage } from '../../secrets/secrets.ts';
import { definitions, settingKeys } from '../../settings/definitions.ts';
import { childNamed } from '../../cli/completion/tree.ts';
import { foreignCommands, foreignVerbs } from '../../cli/foreign-words.ts';
import type { ChatOptions } from './chat-run.ts';
import { runEvery } from './every-run.ts';
import { chat } from './run.ts';

/** Options that make sense only for a single answer. */
const oneShot = [
  'json',
  'jsonl',
  'raw',
  'plain',
  'markdown',
  'dryRun',
  'schema',
  'select',
] as const;

/**
 * Whether the chat command opens the REPL: with `--interactive`, or on a terminal without a prompt.
 * @throws Failure `usage` for `--interactive` without a terminal
 */
export function wantsRepl(
  { streams }: Context,
  words: readonly string[],
  options: ChatOptions,
): boolean {
  const isTerminal = streams.stdin.isTerminal && streams.stdout.isTerminal;
  if (options.interactive === true) {
    if (isTerminal) return true;
    throw new Failure('usage', '--interactive needs a terminal for input and output', {
      hint: 'omit it for a single answer',
    });
  }
  const isOneShot = words.length > 0 || oneShot.some((name) => options[name] !== undefined);
  return isTerminal && options.input && !isOneShot;
}

/** The maximum number of words of a mistyped command with its arguments. */
const maxWords = 4;

/**
 * Whether a prompt may be a mistyped command, or one of another program: a quick check before the command tree is read.
 * In a resumed conversation, a word such as "continue" is a prompt.
 */
export function mayBeCommand(words: readonly string[], options: ChatOptions): boolean {
  const [first = ''] = words;
  const isResumed = options.continue === true || options.resume !== undefined;
  if (options.isPrompt === true || options.dryRun === true || isResumed) return false;
  return words.length <= maxWords && /^[A-Za-z-]{2,}$/.test(first);
}

/** A word of a suggestion; text is left out, as it may be long or need quotes. */
const shownWord = (word: string): string => (/^[\p{L}\p{N}_.:/@=-]+$/u.test(word) ? word : '…');

const namesAndAliases = (commands: readonly CompletedCommand[]) =>
  commands.flatMap(({ name, aliases }) => [name, ...aliases]);

const nearChild = (parent: CompletedCommand, word: string): CompletedCommand | undefined =>
  childNamed(parent, word) ??
  childNamed(parent, nearlyNamed(word, namesAndAliases(parent.commands)) ?? '');

/** `set model nextgen`: only with the name of a setting, because `set theory basics` is a prompt. */
function settingCommand(words: readonly string[]): string | undefined {
  const [verb = '', name = ''] = words;
  const length = { set: 3, get: 2, unset: 2 }[verb];
  if (words.length !== length) return undefined;
  if (/^api[-_]?key$/.test(name)) return 'natter auth login';
  const isSetting = settingKeys.some((key) => definitions[key].name === name);
  return isSetting ? ['natter config', ...words.map(shownWord)].join(' ') : undefined;
}

/** Too many words differ from a name of three letters by one: `fun` does not mean `run`. */
const shortestName = 3;

/**
 * The commands that a prompt may be a mistyped form of (`modles`, `model list`, `login`), or that have the same effect in
 * natter as a command of another client (`history`, `set model nextgen`). An empty list is a command that natter lacks,
 * such as `quit`; undefined is a prompt.
 * @param tree natter itself
 */
export function suggestCommands(
  words: readonly string[],
  tree: CompletedCommand,
): readonly string[] | undefined {
  const [first = '', second, ...rest] = words;
  const word = first.toLowerCase();
  const foreign = Object.hasOwn(foreignCommands, word) ? foreignCommands[word] : undefined;
  if (foreign !== undefined && second === undefined) return foreign;
  if (foreign !== undefined && foreignVerbs.includes(second ?? '') && rest.length < 2)
    return foreign;
  const setting = settingCommand(words);
  if (setting !== undefined) return [setting];
  const names = namesAndAliases(tree.commands).filter((name) => name.length > shortestName);
  const near = childNamed(tree, nearlyNamed(first, names) ?? '');
  if (second === undefined) {
    const parents = tree.commands.filter((parent) => childNamed(parent, word) !== undefined);
    if (parents.length > 0) return parents.map(({ name }) => `natter ${name} ${word}`);
    return near && [`natter ${near.name}`];
  }
  if (near === undefined) return undefined;
  if (near.arguments[0]?.choices?.includes(second) === true) {
    return [`natter ${near.name} ${second}`];
  }
  const child = nearChild(near, second);
  if (child === undefined || rest.length > child.arguments.length) return undefined;
  return [['natter', near.name, child.name, ...rest.map(shownWord)].join(' ')];
}

/**
 * Asks for confirmation of a prompt that is probably a mistyped command (`natter modles`, `natter model list`,
 * `natter login`). A pipe or a script may mean it, so there it is sent with a notice on standard error.
 * @throws Failure `usage` if the user does not confirm
 */
export async function confirmMistakenCommand(
  context: Context,
  options: ChatOptions,
  words: readonly string[],
): Promise<void> {
  const suggestions = suggestCommands(words, context.commands());
  if (suggestions === undefined) return;
  const prompt = words.map(shownWord).join(' ');
  const commands = suggestions.join(' or ');
  const { stdin, stderr } = context.streams;
  const canAsk = stdin.isTerminal && stderr.isTerminal;
  const mask = (text: string) => maskMessage(context.secrets, text);
  const notices = createNotices(stderr, options.quiet === true && !canAsk, mask);
  const warning = `"${prompt}" looks like ${commands === '' ? 'a command' : `the command ${commands}`}`;
  notices.notice(canAsk ? warning : `${warning}; sending it as a prompt`);
  if (!canAsk) return;
  if (options.input) {
    const reply = await context.ask('Send it as a prompt? [y/N] ', { signal: context.signal });
    if (/^y(es)?$/i.test(reply.trim())) return;
  }
  const suggestion = commands === '' ? '' : `did you mean ${commands}? `;
  throw new Failure('usage', `"${prompt}" was not sent`, {
    hint: `${suggestion}to send it: natter -- ${prompt}`,
  });
}

/** Runs `natter chat`. @throws Failure, or the reason `context.signal` was aborted with */
export async function startChat(
  context: Context,
  options: ChatOptions,
  words: readonly string[],
): Promise<void> {
  if (wantsRepl(context, words, options)) {
    const { runRepl } = await import('../../repl/run.ts');
    await runRepl(context, options, words);
    return;
  }
  const isAlone = options.resume === true && words.length === 0 && options.file === undefined;
  if (isAlone && context.streams.stdin.isTerminal) {
    throw new Failure('usage', '--resume alone lists conversations, which needs a terminal', {
      hint: 'natter conversations lists them; natter --resume ID "and at sunset?" continues one',
    });
  }
  if (mayBeCommand(words, options)) {
    await confirmMistakenCommand(context, options, words);
  }
  if (options.every !== undefined) return runEvery(context, options, words);
  if (options.split === undefined) return chat(context, options, words);
  // It sends several requests at a time, with undici.
  const { runSplit } = await import('./split-run.ts');
  return runSplit(context, options, words);
}
