// Command names of other chat programs.

/** Other names of commands, which run them but are not listed. */
export const commandOfOtherName: ReadonlyMap<string, string> = new Map([
  ['exit', 'quit'],
  ['q', 'quit'],
  ['bye', 'quit'],
  ['cost', 'usage'],
  ['regenerate', 'retry'],
  ['reset', 'new'],
]);

const figures = '/context and /usage show the figures';
const system = '/system sets the system prompt';
const config = 'in a shell: natter config';
const login = 'in a shell: natter auth login';
const file = '/attach adds a file to the next prompt';
const open = '/resume opens a conversation';

/** What to type instead of a command that natter does not have. */
export const otherPrograms: ReadonlyMap<string, string> = new Map([
  ['delete', 'in a shell: natter conversations delete ID'],
  ['search', '/conversations TEXT searches them'],
  ['history', '/conversations lists them; KEY searches your prompts'],
  ['load', open],
  ['open', open],
  ['file', file],
  ['add', file],
  ['tokens', '/usage shows the tokens'],
  ['login', login],
  ['connect', login],
  ['vim', 'in a shell: natter config set editing vi'],
  ['status', figures],
  ['stats', figures],
  ['rewind', '/undo removes the last prompt, /edit changes it'],
  ['memory', system],
  ['init', system],
  ['settings', config],
  ['config', config],
]);
