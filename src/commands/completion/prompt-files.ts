import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import {
  findPrompt,
  type FoundPrompt,
  listPrompts,
} from '../../prompt-files/library/find-prompt.ts';
import { loadPrompt } from '../../prompt-files/library/load-prompt.ts';
import { type PromptFile, variablesOf } from '../../prompt-files/prompt-file.ts';
import type { Variable } from '../../prompt-files/variables.ts';
import type { FolderFacts } from '../../settings/folders.ts';
import { promptPlaces } from '../prompt/load-prompt-file.ts';
import { type Candidate, files } from './tree.ts';

/** Undefined for a prompt file that cannot be used: a shell shows no failures. */
async function load(context: FolderFacts, found: FoundPrompt): Promise<PromptFile | undefined> {
  const { directory } = promptPlaces(context);
  try {
    return await loadPrompt(found, {
      directory,
      read: async (file) => readFileSync(file.path, 'utf8'),
    });
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
export async function promptFileCandidates(
  context: FolderFacts,
  typed: string,
): Promise<readonly Candidate[]> {
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
}

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
