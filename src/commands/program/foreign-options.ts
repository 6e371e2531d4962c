const parameter = 'fields of the request go into --param, as in --param temperature=0.2';
const key = 'natter auth login stores a key; NATTER_API_KEY holds one for a script';
const debug = 'NATTER_DEBUG=1 shows what natter does';

/** What other chat clients call things, and how natter has them. */
const hints: ReadonlyMap<string, string> = new Map([
  ['-p', 'natter "a prompt" prints the answer and ends'],
  ['--print', 'natter "a prompt" prints the answer and ends'],
  ['--prompt', 'natter "a prompt" prints the answer and ends'],
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
  ['-o', 'natter "a prompt" > FILE keeps the answer in a file'],
  ['--output', 'natter "a prompt" > FILE keeps the answer in a file'],
  ['-r', '--resume goes on with a conversation, -c with the last one'],
  ['--system-prompt', '-s gives a system prompt'],
  ['--no-color', '--color never leaves colours out'],
  ['--stream', 'answers are streamed; --no-stream asks for the whole answer at once'],
  ['--models', 'natter models list shows the models there are'],
  ['--list-models', 'natter models list shows the models there are'],
]);

/** The name of an option as typed: what stands after it may be a key. */
export function typedOptionName(typed: string): string {
  return typed.startsWith('-k') ? '-k' : typed.replace(/=.*/s, '');
}

/** How natter does what an option of another chat client does. */
export function foreignOptionHint(name: string): string | undefined {
  return hints.get(name);
}
