const parameter = 'use --param, as in --param temperature=0.2';
const key = 'use natter auth login, or NATTER_API_KEY in scripts';
const debug = 'NATTER_DEBUG=1 writes a debug log';

/** Options of other chat clients, and their equivalents in natter. */
const hints: ReadonlyMap<string, string> = new Map([
  ['-p', 'natter "a prompt" prints the answer and exits'],
  ['--print', 'natter "a prompt" prints the answer and exits'],
  ['--prompt', 'natter "a prompt" prints the answer and exits'],
  ['-T', parameter],
  ['--temp', parameter],
  ['--temperature', parameter],
  ['--top-p', parameter],
  ['--top-k', parameter],
  ['--seed', parameter],
  ['-k', key],
  ['--key', key],
  ['--api-key', key],
  ['--token', key],
  ['-v', `--version prints the version; ${debug}`],
  ['--verbose', debug],
  ['--debug', debug],
  ['-a', '-f attaches a text file'],
  ['--attachment', '-f attaches a text file'],
  ['-o', 'natter "a prompt" > FILE writes the answer to a file'],
  ['--output', 'natter "a prompt" > FILE writes the answer to a file'],
  ['-r', '--resume continues a conversation, -c the last one'],
  ['--system-prompt', '-s sets the system prompt'],
  ['--no-color', 'use --color never'],
  ['--stream', 'answers are streamed unless --no-stream is given'],
  ['--models', 'natter models list lists the models'],
  ['--list-models', 'natter models list lists the models'],
]);

/** The name of an option as typed, without its value, which may be a key. */
export function typedOptionName(typed: string): string {
  return typed.startsWith('-k') ? '-k' : typed.replace(/=.*/s, '');
}

/** The equivalent of an option of another chat client. */
export function foreignOptionHint(name: string): string | undefined {
  return hints.get(name);
}
