import { composePrompt, insertInput } from '../../conversation/compose-prompt.ts';
import { Failure } from '../../failure.ts';
import { failureAt } from '../../prompt-files/place.ts';
import type { PromptArguments } from '../../prompt-files/prompt-arguments.ts';
import { partsOf, type PromptFile, placesWords } from '../../prompt-files/prompt-file.ts';
import {
  fillTemplate,
  type Placeholder,
  placeholdersOf,
  type Template,
} from '../../prompt-files/template.ts';
import type { PromptSources } from '../prompt/read-prompt.ts';

/** What a prompt file is filled with. */
export interface FileContents extends PromptSources {
  readonly given: PromptArguments;
  /** The text for a `file` placeholder. */
  readonly contentOf: (placeholder: Placeholder) => string;
  /** The value of `--system`, which replaces the system prompt of the file. */
  readonly systemOption: string | undefined;
}

export interface ComposedFile {
  readonly prompt: string;
  /** Undefined if neither the file nor `--system` has one. */
  readonly system: string | undefined;
}

/**
 * Refuses a prompt file that needs standard input without any.
 * @returns refuses empty input; undefined if the file does not need it
 * @throws Failure `usage` with the file and the line
 */
export function checkInput(
  prompt: PromptFile,
  isTerminal: boolean,
  isIgnored: boolean,
): (() => never) | undefined {
  const [first] = placeholdersOf(partsOf(prompt), 'stdin');
  if (first === undefined) return undefined;
  const refuse = (reason: string): never => {
    throw failureAt(first.place, `{{${first.name}}} is standard input, but ${reason}`, {
      hint: `for example: natter run ${prompt.file.name} < notes.txt`,
    });
  };
  if (isIgnored) refuse('--no-stdin ignores it');
  if (isTerminal) refuse('nothing is piped in');
  return () => refuse('it is empty');
}

const joined = (...parts: readonly (string | undefined)[]) =>
  parts.filter((part) => part !== undefined && part !== '').join('\n\n');

/**
 * Fills the templates of a prompt file. Words and standard input without a place in them follow the text, as for a
 * plain prompt. Nothing that is inserted is expanded again.
 * @throws Failure `usage` if there is nothing to send
 */
export function composeFile(prompt: PromptFile, contents: FileContents): ComposedFile {
  const { given, contentOf, files, input, systemOption } = contents;
  const { variables, words } = given;
  const fill = (template: Template) =>
    fillTemplate(template, { variables, words, contentOf, stdin: input ?? '' });
  const inserted = input === undefined ? undefined : insertInput(systemOption, input);
  const ownSystem = prompt.system && fill(prompt.system);
  const system = inserted ?? systemOption ?? ownSystem;
  const used = systemOption === undefined ? partsOf(prompt) : prompt.prompt;
  const isPlaced = inserted !== undefined || placeholdersOf(used, 'stdin').length > 0;
  const text = joined(fill(prompt.prompt), placesWords(prompt) ? undefined : words.join(' '));
  const whole = joined(composePrompt({ prompt: text, files }), isPlaced ? undefined : input);
  if (whole.trim() !== '') return { prompt: whole, system };
  throw new Failure('usage', `${prompt.file.name} has no text to send`, {
    hint: `pipe text in, or add words: natter run ${prompt.file.name} "…"`,
  });
}
