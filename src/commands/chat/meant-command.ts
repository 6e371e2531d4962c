import { nearlyNamed } from '../program/command-line.ts';
import { childNamed, type CompletedCommand } from '../completion/tree.ts';

/** Words that are commands of other programs, and what does that in natter. */
const foreignWords: ReadonlyMap<string, readonly string[]> = new Map([
  ['version', ['natter --version']],
  ['update', ['natter --version --verbose']],
  ['upgrade', ['natter --version --verbose']],
  ['quit', []],
  ['exit', []],
]);

const namesOf = (commands: readonly CompletedCommand[]) =>
  commands.flatMap(({ name, aliases }) => [name, ...aliases]);

const isListed = (list: readonly string[] | undefined, word: string) =>
  list?.includes(word) === true;

/** How many words follow a command as its arguments. */
function mostArguments({ arguments: known }: CompletedCommand): number {
  return known.some(({ isVariadic }) => isVariadic) ? Number.POSITIVE_INFINITY : known.length;
}

/** A command nearly named by the first word, whose subcommand or listed argument is the second. */
function meantWithWords(
  command: CompletedCommand,
  [second = '', ...rest]: readonly string[],
): string | undefined {
  const [argument] = command.arguments;
  if (isListed(argument?.choices, second)) return `natter ${command.name} ${second}`;
  const names = namesOf(command.commands);
  const name = names.includes(second) ? second : nearlyNamed(second, names);
  const child = name === undefined ? undefined : childNamed(command, name);
  if (child === undefined || rest.length > mostArguments(child)) return undefined;
  return ['natter', command.name, child.name, ...rest].join(' ');
}

/**
 * The commands that a prompt's words may have been meant as: `modles`, `model list`, `login`, `version`; none for a
 * command that natter lacks, as `quit`. Undefined for words that look like no command, or name one, and for a text of
 * several words in one argument.
 * @param tree natter itself
 */
export function meantCommands(
  words: readonly string[],
  tree: CompletedCommand,
): readonly string[] | undefined {
  const [first = '', ...rest] = words;
  const names = namesOf(tree.commands);
  const near = nearlyNamed(first, names);
  if (rest.length > 0) {
    const command = near === undefined ? undefined : childNamed(tree, near);
    const meant = command && meantWithWords(command, rest);
    return meant === undefined ? undefined : [meant];
  }
  const word = first.toLowerCase();
  const foreign = foreignWords.get(word);
  if (foreign !== undefined) return foreign;
  const parents = tree.commands.filter((parent) => childNamed(parent, word) !== undefined);
  if (parents.length > 0) return parents.map(({ name }) => `natter ${name} ${word}`);
  return near === undefined ? undefined : [`natter ${near}`];
}
