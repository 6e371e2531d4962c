/** Commands of other chat clients and what to type in natter; no commands if natter has nothing of the kind. */
export const foreignCommands: Readonly<Record<string, readonly string[]>> = {
  version: ['natter --version'],
  update: ['natter --version --verbose'],
  upgrade: ['natter --version --verbose'],
  quit: [],
  exit: [],
  ask: ['natter'],
  new: ['natter'],
  repl: ['natter'],
  interactive: ['natter'],
  resume: ['natter --resume'],
  continue: ['natter -c'],
  history: ['natter conversations list'],
  chats: ['natter conversations list'],
  'chat-history': ['natter conversations list'],
  logs: ['natter conversations list'],
  ls: ['natter conversations list'],
  keys: ['natter auth login'],
  setup: ['natter auth login'],
  init: ['natter auth login'],
  configure: ['natter auth login'],
  settings: ['natter config list'],
  stats: ['natter usage'],
  cost: ['natter usage'],
  costs: ['natter usage'],
  template: ['natter prompts list'],
  templates: ['natter prompts list'],
  patterns: ['natter prompts list'],
  role: ['natter --role NAME'],
  roles: ['natter --role NAME'],
  profile: ['natter config profiles'],
  profiles: ['natter config profiles'],
  alias: [],
  aliases: [],
  plugins: [],
  mcp: [],
  serve: [],
};

/** Verbs after the name of a thing, as in `logs list` or `keys set openai`. */
export const foreignVerbs: readonly string[] = ['list', 'ls', 'show', 'path', 'set', 'add', 'edit'];

const print = 'natter "a prompt" prints the answer and exits';
const session = '--resume ID continues a conversation, -c the last one';
const key = 'use natter auth login, or NATTER_API_KEY in scripts';
const debug = 'NATTER_DEBUG=1 writes a debug log';
const file = '-f attaches a text file';
const image = `natter sends no images; ${file}`;
const output = 'natter "a prompt" > FILE writes the answer to a file; --json prints JSON';
const format = '--json prints JSON, --jsonl an event per line';
const system = '-s sets the system prompt';
const list = 'natter conversations lists conversations, natter models list the models';
const run = 'natter run NAME sends a prompt file; natter prompts lists them';
const models = 'natter models list lists the models';
const field = (name: string, value: string) =>
  `use --param ${name}=${value}, if the service takes it`;

/** Options of other chat clients and the hint for each. */
export const foreignOptions: Readonly<Record<string, string>> = {
  '-p': print,
  '--print': print,
  '--prompt': print,
  '-k': key,
  '--key': key,
  '--api-key': key,
  '--token': key,
  '-v': `--version prints the version; ${debug}`,
  '--verbose': debug,
  '--debug': debug,
  '-a': file,
  '--attachment': file,
  '--fragment': file,
  '--image': image,
  '--images': image,
  '-o': output,
  '--output': output,
  '--format': format,
  '--output-format': format,
  '--response-format': format,
  '-r': session,
  '-C': session,
  '--session': session,
  '--system-prompt': system,
  '--append-system-prompt': system,
  '-S': '--no-stream prints the answer at its end; natter conversations show ID shows one',
  '-x': 'natter last --block 1 prints a code block of the last answer',
  '-n': '--no-save does not save the conversation',
  '-l': list,
  '--list': list,
  '--delete': 'natter conversations delete ID moves a conversation to the trash',
  '--no-markdown': '--plain prints plain text on a terminal, --raw exactly the bytes of the answer',
  '--no-color': 'use --color never',
  '--stream': 'answers are streamed unless --no-stream is given',
  '--template': run,
  '--pattern': run,
  '--prompt-file': run,
  '--models': models,
  '--list-models': models,
  '-T': field('temperature', '0.2'),
  '--temp': field('temperature', '0.2'),
  '--temperature': field('temperature', '0.2'),
  '--top-p': field('top_p', '0.9'),
  '--topp': field('top_p', '0.9'),
  '--top-k': field('top_k', '40'),
  '--topk': field('top_k', '40'),
  '--seed': field('seed', '1'),
};
