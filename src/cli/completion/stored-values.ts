// Candidates that are read from disk, or that need the code of other commands: loaded when a word asks for them.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { listEntries } from '../../conversation/library/library.ts';
import { summarize } from '../../conversation/library/read-conversation.ts';
import { Failure } from '../../failure.ts';
import {
  findPrompt,
  type FoundPrompt,
  listPrompts,
} from '../../prompt-files/library/find-prompt.ts';
import { loadPrompt } from '../../prompt-files/library/load-prompt.ts';
import type { SourceFile } from '../../prompt-files/place.ts';
import { type PromptFile, variablesOf } from '../../prompt-files/prompt-file.ts';
import type { Variable } from '../../prompt-files/front-matter-keys.ts';
import { keyBindings } from '../../repl/composer/keys/key-bindings.ts';
import type { FolderFacts } from '../../settings/folders.ts';
import { coloredParts } from '../../settings/own-colors.ts';
import { roleNames } from '../../settings/role.ts';
import { storedKinds } from '../../commands/config/stored-paths.ts';
import { dataFolder } from '../../ask/open-conversation.ts';
import { promptPlaces } from '../../input/load-prompt-file.ts';
import { type Candidate, files, plain, rowCandidates, type Source } from './tree.ts';

/** Undefined for a prompt file that cannot be used: a shell shows no failures. */
async function load(context: FolderFacts, found: FoundPrompt): Promise<PromptFile | undefined> {
  const { directory } = promptPlaces(context);
  const read = async (file: SourceFile) => readFileSync(file.path, 'utf8');
  try {
    return await loadPrompt(found, { directory, read });
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** Characters that run or change something in a shell; bash and PowerShell insert candidates without quotes. */
const special = /[$`;&|<>()!\\"']/;

/** Names come from whoever wrote the project: one with a command in it, or that is an option, must be typed. */
const isHarmless = (name: string) => !special.test(name) && !name.startsWith('-');

/** Each prompt file is read for its description. */
const mostDescribed = 50;

/**
 * The names of prompt files with their descriptions. The shell completes paths too, if no name fits or a path is typed.
 */
export const promptFiles: Source = async ({ context, typed, before, command }) => {
  if (command.name === 'run' && before.length > 0) return [];
  const isPath = typed.startsWith('.') || path.isAbsolute(typed) || typed.includes(path.sep);
  const found = listPrompts(promptPlaces(context)).filter(
    ({ name }) => name.startsWith(typed) && isHarmless(name),
  );
  const candidates: Candidate[] = [];
  for (const [index, one] of found.entries()) {
    const prompt = index < mostDescribed ? await load(context, one) : undefined;
    candidates.push({ value: one.name, description: prompt?.front.description ?? '' });
  }
  return isPath || candidates.length === 0 ? [...candidates, files] : candidates;
};

/** `--lang=`, or one candidate for each choice, so that a shell completes up to the choice. */
function assignments({ name, description = '', choices, default: value }: Variable) {
  const option = `--${name}=`;
  if (choices === undefined) {
    return [{ value: option, description: description || (value ?? 'variable') }];
  }
  return choices
    .filter((choice) => !special.test(choice))
    .map((choice) => ({ value: option + choice, description }));
}

/** The variables of a prompt file, as options. */
export async function variableCandidates(
  context: FolderFacts,
  name: string,
): Promise<readonly Candidate[]> {
  try {
    const prompt = await load(context, findPrompt(promptPlaces(context), name));
    return prompt === undefined ? [] : variablesOf(prompt).flatMap(assignments);
  } catch (error) {
    // A prompt file that does not exist has no variables.
    if (error instanceof Failure) return [];
    throw error;
  }
}

/** Each conversation is read for its title. */
const maxConversations = 30;

/** The conversations whose ids start with the typed text, newest first, after `latest`. */
export const conversations: Source = ({ context, typed, command }) => {
  const section = command.name === 'undelete' ? 'trash' : 'conversations';
  const entries = listEntries(dataFolder(context), section).filter(({ id }) =>
    id.startsWith(typed),
  );
  if (entries.length === 0) return [];
  const found = entries.slice(0, maxConversations).map(({ id, path: file }) => ({
    value: id,
    description: summarize(file).title,
  }));
  return [{ value: 'latest', description: 'most recent conversation' }, ...found];
};

/** The names that `config paths` takes, the parts of an answer with own colours, or the keys of the composer. */
export const storedNames: Source = ({ command, typed }) => {
  if (command.name === 'paths') return rowCandidates(storedKinds);
  if (typed.startsWith('colors.')) return rowCandidates(coloredParts, 'colors.');
  const actions = keyBindings.map(({ action, summary }) => ({ name: action, summary }));
  return rowCandidates(actions, 'keys.');
};

export const roles: Source = ({ context }) => plain(roleNames(context));
