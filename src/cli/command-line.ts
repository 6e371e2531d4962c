// What a command line shows before commander parses it.

/** The words before `--`, which ends the options. */
export function beforeDashes(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return end < 0 ? words : words.slice(0, end);
}

export function wantsJson(words: readonly string[]): boolean {
  return beforeDashes(words).some((word) => word === '--json' || word === '--jsonl');
}

/** Commander looks for a command after `--`, so `natter -- models` gets the name of the chat command. */
export function routeToChat(
  words: readonly string[],
  names: ReadonlySet<string>,
): readonly string[] {
  if (!words.includes('--')) return words;
  const isCommand = beforeDashes(words).some((word) => names.has(word));
  return isCommand ? words : ['chat', ...words];
}

/**
 * Whether a command line marks its words as a prompt: `natter chat modles`, `natter -- modles`.
 * @param words the whole command line
 * @param prompt the words of it that were parsed as the prompt
 */
export function isNamedPrompt(words: readonly string[], prompt: readonly string[]): boolean {
  const count = (list: readonly string[]) => list.filter((word) => word === 'chat').length;
  return words.includes('--') || count(words) > count(prompt);
}

/**
 * The command at the start of a prompt that follows options of the chat command, as in `natter -m nextgen models list`;
 * undefined after `chat` or `--`.
 * @param words the whole command line
 * @param prompt the words of it that were parsed as the prompt
 */
export function misplacedCommand(
  words: readonly string[],
  prompt: readonly string[],
  names: ReadonlySet<string>,
): string | undefined {
  const [first] = prompt;
  if (first === undefined || !names.has(first) || isNamedPrompt(words, prompt)) return undefined;
  return first;
}

export const hasFlag = (words: readonly string[], option: string): boolean =>
  beforeDashes(words).includes(option);

/** The last value of an option such as `--profile`. */
export function flagValue(words: readonly string[], option: string): string | undefined {
  const options = beforeDashes(words);
  const last = options.findLastIndex((word) => word === option || word.startsWith(`${option}=`));
  if (last < 0) return undefined;
  return options[last] === option ? options[last + 1] : options[last]?.slice(option.length + 1);
}

/**
 * The words of a command whose options may be unknown, with `--` before those that are text: commander keeps or removes it.
 * @param args the words as commander parsed them
 * @param words the whole command line
 */
export function withDashes(args: readonly string[], words: readonly string[]): string[] {
  const end = words.indexOf('--');
  if (end < 0) return [...args];
  const text = words.slice(end + 1);
  const before = args.slice(0, args.length - text.length).filter((word) => word !== '--');
  return [...before, '--', ...text];
}
