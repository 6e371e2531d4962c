// What a command line shows before commander parses it.
import { Failure } from '../failure.ts';

/** The words before `--`, which ends the options. */
export function beforeDashes(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end < 0 ? args : args.slice(0, end);
}

export const hasFlag = (args: readonly string[], ...options: readonly string[]): boolean =>
  beforeDashes(args).some((word) => options.includes(word));

export const wantsJson = (args: readonly string[]): boolean => hasFlag(args, '--json', '--jsonl');

/** Commander looks for a command after `--`, so `natter -- models` gets the name of the chat command. */
export function routeToChat(
  args: readonly string[],
  names: ReadonlySet<string>,
): readonly string[] {
  if (!args.includes('--')) return args;
  const isCommand = beforeDashes(args).some((word) => names.has(word));
  return isCommand ? args : ['chat', ...args];
}

/**
 * Whether a command line marks its words as a prompt: `natter chat modles`, `natter -- modles`.
 * @param args the whole command line
 * @param prompt the words of it that were parsed as the prompt
 */
export function isNamedPrompt(args: readonly string[], prompt: readonly string[]): boolean {
  const count = (list: readonly string[]) => list.filter((word) => word === 'chat').length;
  return args.includes('--') || count(args) > count(prompt);
}

/**
 * Refuses the name of a command at the start of a prompt that follows options, as in `natter -m nextgen models list`, but
 * not after `chat` or `--`.
 * @param args the whole command line
 * @param prompt the words of it that were parsed as the prompt
 * @throws Failure `usage`
 */
export function refuseMisplacedCommand(
  args: readonly string[],
  prompt: readonly string[],
  names: ReadonlySet<string>,
): void {
  const [name] = prompt;
  if (name === undefined || !names.has(name) || isNamedPrompt(args, prompt)) return;
  throw new Failure('usage', `ambiguous: "${name}" is a command name but follows prompt options`, {
    hint: `for the command: ‹natter ${name} …›; for a prompt: ‹natter … -- ${name} …›`,
  });
}

/**
 * Gives `-x` a value where it has none: commander takes any next word for it, also one of the prompt. Only a number and
 * `last` are values.
 */
export function withExtractValues(args: readonly string[]): readonly string[] {
  const { length } = beforeDashes(args);
  return args.map((word, at) => {
    const isAlone = at < length && /^(?:-[ciq]*x|--extract)$/.test(word);
    return isAlone && !/^(?:-?\d+|last)$/.test(args[at + 1] ?? '') ? `${word}=1` : word;
  });
}

/** The last value of an option such as `--profile`. */
export function flagValue(args: readonly string[], option: string): string | undefined {
  const options = beforeDashes(args);
  const last = options.findLastIndex((word) => word === option || word.startsWith(`${option}=`));
  if (last < 0) return undefined;
  return options[last] === option ? options[last + 1] : options[last]?.slice(option.length + 1);
}

/**
 * The words of a command whose options may be unknown, with `--` before those that are text: commander keeps or removes it.
 * @param parsed the words as commander parsed them
 * @param args the whole command line
 */
export function withDashes(parsed: readonly string[], args: readonly string[]): string[] {
  const end = args.indexOf('--');
  if (end < 0) return [...parsed];
  const text = args.slice(end + 1);
  const before = parsed.slice(0, parsed.length - text.length).filter((word) => word !== '--');
  return [...before, '--', ...text];
}
