import { Failure } from '../../failure.ts';
import { nearlyNamed } from '../../near-name.ts';
import { createNotices } from '../../output/notices.ts';
import { definitions, settingKeys } from '../../settings/definitions.ts';
import { childNamed } from '../completion/tree.ts';
import type { CompletedCommand, Context } from '../../run.ts';
import { maskMessage } from '../../secrets/secrets.ts';
import { foreignCommands, foreignVerbs } from '../program/foreign-words.ts';
import type { ChatOptions } from './chat-run.ts';

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
