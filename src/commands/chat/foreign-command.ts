// What users of other programs type, and its equivalents in natter. Only shapes that are hardly ever a prompt:
// `natter search for a name` and `natter set theory basics` are prompts.
import { idFromFile } from '../../conversation/library/conversation-folder.ts';
import { definitions, settingKeys } from '../../settings/definitions.ts';
import { childNamed, type CompletedCommand } from '../completion/tree.ts';

const list = ['natter conversations list'];
const login = ['natter auth login'];
const prompts = ['natter prompts list'];
const profiles = ['natter config profiles'];
const role = ['natter --role NAME'];
const usage = ['natter usage'];
const conversation = ['natter'];

/** Empty for a command that natter lacks. */
const lone: ReadonlyMap<string, readonly string[]> = new Map([
  ['version', ['natter --version']],
  ['update', ['natter --version --verbose']],
  ['upgrade', ['natter --version --verbose']],
  ['quit', []],
  ['exit', []],
  ['history', list],
  ['chats', list],
  ['chat-history', list],
  ['logs', list],
  ['ls', list],
  ['resume', ['natter --resume']],
  ['continue', ['natter -c']],
  ['ask', conversation],
  ['new', conversation],
  ['repl', conversation],
  ['interactive', conversation],
  ['keys', login],
  ['setup', login],
  ['init', login],
  ['configure', login],
  ['settings', ['natter config list']],
  ['stats', usage],
  ['cost', usage],
  ['costs', usage],
  ['template', prompts],
  ['templates', prompts],
  ['patterns', prompts],
  ['role', role],
  ['roles', role],
  ['profile', profiles],
  ['profiles', profiles],
  ['alias', []],
  ['aliases', []],
  ['plugins', []],
  ['mcp', []],
  ['serve', []],
]);

/** A word of a suggestion; text is left out, as it may be long or need quotes. */
export const shownWord = (word: string): string =>
  /^[\p{L}\p{N}_.:/@=-]+$/u.test(word) ? word : '…';

const settingNames: ReadonlySet<string> = new Set(settingKeys.map((key) => definitions[key].name));

const isSetting = (name: string) =>
  settingNames.has(name) || /^(?:params|headers|prices|keys|colors)\../.test(name);

function settingCommand(verb: string, [name = '', ...rest]: readonly string[]): string | undefined {
  if (rest.length !== (verb === 'set' ? 1 : 0)) return undefined;
  if (verb === 'set' && /^api[-_]?key$/.test(name)) return 'natter auth login';
  const words = ['natter config', verb, name, ...rest.map(shownWord)];
  return isSetting(name) ? words.join(' ') : undefined;
}

const isConversation = (word: string) =>
  word === 'latest' || idFromFile(`${word}.jsonl`) !== undefined;

const onConversation = (command: string) => (rest: readonly string[]) => {
  const [name = ''] = rest;
  return rest.length === 1 && isConversation(name) ? `natter ${command} ${name}` : undefined;
};

/** `ask "why is the sky blue?"`: a prompt in quotes. */
function quotedPrompt(rest: readonly string[]): string | undefined {
  const isText = rest.length === 1 && /\s/.test(rest[0] ?? '');
  return isText ? 'natter "…"' : undefined;
}

function searchCommand(rest: readonly string[]): string | undefined {
  const [pattern = ''] = rest;
  return rest.length === 1 ? `natter conversations search ${shownWord(pattern)}` : undefined;
}

function listCommand(rest: readonly string[], tree: CompletedCommand): string | undefined {
  const [name = ''] = rest;
  if (rest.length !== 1) return undefined;
  if (name === 'chats' || name === 'history') return list[0];
  const command = childNamed(tree, name);
  const child = command && childNamed(command, 'list');
  return command && child && `natter ${command.name} list`;
}

/** `pull llama3`: the name of a model has a digit. */
function pullCommand(rest: readonly string[]): string | undefined {
  const [name = ''] = rest;
  const isModel = rest.length === 1 && /^[a-z][\w./:-]*$/.test(name) && /\d/.test(name);
  return isModel ? 'natter models list' : undefined;
}

type Suggest = (rest: readonly string[], tree: CompletedCommand) => string | undefined;

/** By the first word of several. */
const verbs: ReadonlyMap<string, Suggest> = new Map<string, Suggest>([
  ...['set', 'get', 'unset'].map((verb) => {
    return [verb, (rest: readonly string[]) => settingCommand(verb, rest)] as const;
  }),
  ...['ask', 'prompt', 'query', 'exec', 'send'].map((verb) => [verb, quotedPrompt] as const),
  ['search', searchCommand],
  ['pull', pullCommand],
  ['list', listCommand],
  ['ls', listCommand],
  ['resume', onConversation('--resume')],
  ['continue', onConversation('--resume')],
  ['show', onConversation('conversations show')],
  ['export', onConversation('conversations export')],
  ['delete', onConversation('conversations delete')],
  ['rm', onConversation('conversations delete')],
]);

const changes = ['set', 'add', 'remove', 'rm', 'delete', 'edit'];

/** What the names of things of other programs are followed by; no verb that makes a phrase, such as `keys get stuck`. */
const nounVerbs: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['keys', ['set']],
  ['logs', []],
  ['history', []],
  ...['template', 'templates', 'role', 'roles', 'alias', 'aliases', 'profile', 'profiles'].map(
    (noun) => [noun, [...changes, 'show']] as const,
  ),
]);

/** `logs list`, `keys set openai`, `aliases set fast nextgen`. */
function onNoun(noun: string, [verb = '', ...names]: readonly string[]) {
  const verbsWithName = nounVerbs.get(noun);
  if (verbsWithName === undefined) return undefined;
  const isAlone = names.length === 0 && ['list', 'ls', 'path', 'show'].includes(verb);
  const most = noun.startsWith('alias') ? 2 : 1;
  const isOnName = verbsWithName.includes(verb) && names.length > 0 && names.length <= most;
  return isAlone || isOnName ? lone.get(noun) : undefined;
}

/** The equivalents of a command of other programs; undefined for any other words. */
export function equivalents(
  words: readonly string[],
  tree: CompletedCommand,
): readonly string[] | undefined {
  const [first = '', ...rest] = words;
  const word = first.toLowerCase();
  if (rest.length === 0) return lone.get(word);
  const command = verbs.get(word)?.(rest, tree);
  return command === undefined ? onNoun(word, rest) : [command];
}
