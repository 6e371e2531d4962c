import type { Command, CommanderError } from 'commander';
import { Failure } from '../failure.ts';
import { definitions, settingKeys } from '../settings/definitions.ts';
import { type ForeignWords, meantBy } from './guess.ts';
import { commandsAbove } from './help-details.ts';

/** The name of an option as typed, without its value, which may be a key. */
function typedOptionName(typed: string): string {
  return typed.startsWith('-k') ? '-k' : typed.replace(/=.*/s, '');
}

function commandPath(command: Command): string {
  // The default command is typed without its name.
  if (command.parent === null || command.name() === 'chat') return 'natter';
  return `${commandPath(command.parent)} ${command.name()}`;
}

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
];

const formatOptions = new Set(['-o', '--output', '--format', '--output-format']);
const keyOptions = new Set(['-k', '--key', '--api-key', '--token']);

function hintForForeign(typed: string, path: string, { options }: Command): string | undefined {
  const name = typedOptionName(typed);
  if (path === 'natter auth login' && keyOptions.has(name)) {
    return '‹natter auth login› asks for the key, or reads it from a file: ‹natter auth login < key.txt›';
  }
  if (path === 'natter compare' && name === '--fallback') {
    return 'a comparison shows what each model answers, so no other model answers for one that fails';
  }
  if (path === 'natter compare' && /^(?:-x|--extract|-M|--messages)$/.test(name)) {
    return `it is for one model: ‹natter ${name} …›`;
  }
  if (path === 'natter') {
    return meantBy(foreignOptions, name);
  }
  const hasJson = options.some(({ long }) => long === '--json');
  return formatOptions.has(name) && hasJson ? '--json prints JSON' : undefined;
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
  const name = typedOptionName(typed);
  const path = commandPath(command);
  const options = [command, ...commandsAbove(command)].flatMap((one) => one.options);
  const isKnown = options.some(({ long, short }) => name === long || name === short);
  if (isKnown && name !== typed) return new Failure('usage', `option '${name}' takes no value`);
  const see = suggestion === undefined ? 'see' : `did ${suggestion} See`;
  const takesPrompt = command.registeredArguments.some((argument) => argument.name() === 'prompt');
  const dashes = takesPrompt ? '; put text that starts with a dash after --' : '';
  const hint =
    hintForForeign(typed, path, command) ??
    settingHint(name, command) ??
    `${see} ‹${path} --help›${dashes}`;
  return new Failure('usage', `unknown option '${name}'`, { hint });
}

/** Errors of words after a command that takes none, or only certain ones: `natter last night I dreamt`. */
const excessCodes = new Set(['commander.excessArguments', 'commander.invalidArgument']);

/** The command line as a prompt, if it has several words after the name of a command. */
function promptHint(
  { code }: CommanderError,
  command: Command,
  args: readonly string[],
): string | undefined {
  const isBelowNatter = command.parent !== null && command.parent.parent === null;
  if (!excessCodes.has(code) || !isBelowNatter || args[0] !== command.name()) return undefined;
  if (args.length < 3 || args.some((word) => word.startsWith('-'))) return undefined;
  const isPlain = args.every((word) => /^[\w.,:@%+=/-]+$/.test(word));
  return `for a prompt: ‹natter chat ${isPlain ? args.join(' ') : `${args[0]} …`}›`;
}

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
  const hint = promptHint(error, command, args) ?? `${see} ‹${commandPath(command)} --help›`;
  return new Failure('usage', message, { hint });
}

/** The failure of a number right after an option without a value: `-q0`. */
export const unknownDigit = (option: string): Failure =>
  new Failure('usage', `unknown option '${option}'`, {
    hint: 'see ‹natter --help›; put text that starts with a dash after --',
  });

/** The failure of a command name after options of a prompt: `natter -m nextgen models`. */
export function misplacedCommandFailure(name: string): Failure {
  return new Failure('usage', `ambiguous: "${name}" is a command name but follows prompt options`, {
    hint: `for the command: ‹natter ${name} …›; for a prompt: ‹natter … -- ${name} …›`,
  });
}
