import { Failure } from '../../failure.ts';
import { createNotices } from '../../output/notices.ts';
import { childNamed, type CompletedCommand } from '../completion/tree.ts';
import { nearlyNamed } from '../../near-name.ts';
import type { Context } from '../program/context.ts';
import { maskMessage } from '../program/mask-secrets.ts';
import { equivalents, shownWord } from './foreign-command.ts';
import type { ChatOptions } from './chat-run.ts';

const namesAndAliases = (commands: readonly CompletedCommand[]) =>
  commands.flatMap(({ name, aliases }) => [name, ...aliases]);

function maxArguments({ arguments: known }: CompletedCommand): number {
  return known.some(({ isVariadic }) => isVariadic) ? Number.POSITIVE_INFINITY : known.length;
}

/** The command with these words, if the first is a subcommand of it, nearly one, or a listed argument. */
function suggestSubcommand(
  command: CompletedCommand,
  [second = '', ...rest]: readonly string[],
): string | undefined {
  const [argument] = command.arguments;
  if (argument?.choices?.includes(second) === true) return `natter ${command.name} ${second}`;
  const names = namesAndAliases(command.commands);
  const name = names.includes(second) ? second : nearlyNamed(second, names);
  const child = name === undefined ? undefined : childNamed(command, name);
  if (child === undefined || rest.length > maxArguments(child)) return undefined;
  return ['natter', command.name, child.name, ...rest.map(shownWord)].join(' ');
}

const swapped = (word: string, at: number) =>
  word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);

/** Without a letter, a shorter name may be a word: `bath`. */
const shortestCut = 6;

/** Whether a letter is missing or two are swapped. Other edits make words such as `match` and `compose`. */
function isSlip(word: string, name: string): boolean {
  const places = Array.from(name, (_, index) => index);
  const isCut = places.some((at) => name.slice(0, at) + name.slice(at + 1) === word);
  return (name.length >= shortestCut && isCut) || places.some((at) => swapped(name, at) === word);
}

/** `compre a b`: a command that takes arguments. */
function suggestWithArguments(
  first: string,
  command: CompletedCommand,
  rest: readonly string[],
): string | undefined {
  const isOne = isSlip(first.toLowerCase(), command.name) && rest.length <= maxArguments(command);
  return isOne ? ['natter', command.name, ...rest.map(shownWord)].join(' ') : undefined;
}

/** Too many words differ from a name of three letters by one: `fun` does not mean `run`. */
const shortestName = 3;

/**
 * The commands that a prompt may be a mistyped form of: `modles`, `model list`, `compre a b`, `login`, or that has the
 * form of a command of another program: `history`, `set model nextgen`. Empty for a command that natter lacks, such as
 * `quit`. Undefined for words that do not resemble a command, that start with the name of one, and for several words in
 * one argument.
 * @param tree natter itself
 */
export function suggestCommands(
  words: readonly string[],
  tree: CompletedCommand,
): readonly string[] | undefined {
  const [first = '', ...rest] = words;
  const foreign = equivalents(words, tree);
  if (foreign !== undefined) return foreign;
  const names = namesAndAliases(tree.commands).filter((name) => name.length > shortestName);
  const near = nearlyNamed(first, names);
  if (rest.length > 0) {
    const command = near === undefined ? undefined : childNamed(tree, near);
    const suggestion =
      command && (suggestSubcommand(command, rest) ?? suggestWithArguments(first, command, rest));
    return suggestion === undefined ? undefined : [suggestion];
  }
  const word = first.toLowerCase();
  const parents = tree.commands.filter((parent) => childNamed(parent, word) !== undefined);
  if (parents.length > 0) return parents.map(({ name }) => `natter ${name} ${word}`);
  return near === undefined ? undefined : [`natter ${near}`];
}

/**
 * Asks for confirmation of a prompt that is probably a mistyped command (`natter modles`, `natter model list`,
 * `natter login`). A pipe or a script may mean it, so there it is sent with a notice on standard error.
 * @throws Failure `usage` if the user does not confirm
 */
export async function confirmMistakenCommand(
  context: Pick<Context, 'streams' | 'ask' | 'signal' | 'secrets' | 'commands'>,
  options: Pick<ChatOptions, 'input' | 'quiet'>,
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
