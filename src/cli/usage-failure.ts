// What is wrong with a command line that commander refuses, and what to type instead.
import type { Command, CommanderError } from 'commander';
import { Failure } from '../failure.ts';
import { definitions, settingKeys } from '../settings/definitions.ts';
import { type ForeignWords, meantBy } from './guess.ts';
import { commandsAbove, pathOf } from './help-details.ts';

/** The default command is typed without its name. */
const commandPath = (command: Command) => pathOf(command).replace(/^natter chat$/, 'natter');

/** Options of other clients. The path of the command comes first (`auth/login/-k`); an option of a prompt has no path. */
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
  return `it is a setting: ‹natter config set ${setting} <value>›, or ${variable} for one run`;
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
  const place = [...path.split(' ').slice(1), name].join('/');
  const isFormat = formatOptions.has(name) && command.options.some(({ long }) => long === '--json');
  const hint =
    meantBy(foreignOptions, place) ??
    (isFormat ? '--json prints JSON' : undefined) ??
    settingHint(name, command) ??
    `${see} ‹${path} --help›${dashes}`;
  return new Failure('usage', `unknown option '${name}'`, { hint });
}

const conflictHints: ForeignWords = [
  ['--every', 'each group is a new prompt, and is not saved; --json prints a line for each'],
  ['--split', 'a long text is sent in several requests, which are not a conversation'],
  ['--resume', '--continue means --resume latest'],
  ['--diff', 'use a different tool to compare the answers in the JSON'],
  ['--redact', 'use only one of them'],
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
