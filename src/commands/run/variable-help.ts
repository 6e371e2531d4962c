import type { Command } from 'commander';
import { Failure } from '../../failure.ts';
import { findPrompt } from '../../prompt-files/library/find-prompt.ts';
import { variablesOf } from '../../prompt-files/prompt-file.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { present, type Context } from '../../run.ts';
import { setHelpList } from '../../cli/help-details.ts';
import { loadPromptFile, promptPlaces } from '../../input/load-prompt-file.ts';
import { variableDetails } from '../prompts/prompt-text.ts';

/**
 * Adds the variables of a prompt file to the help of `natter run`, those of the files that it includes, too. A file that
 * cannot be used causes a warning.
 */
export async function addVariables(
  context: Context,
  command: Command,
  name: string,
): Promise<void> {
  const { notices } = await present(context, command.optsWithGlobals());
  try {
    const found = findPrompt(promptPlaces(context), name);
    const reading = { context, notices, signal: context.signal };
    const prompt = await loadPromptFile(reading, found);
    const rows = variablesOf(prompt).map((variable) => ({
      term: `--${variable.name} <text>`,
      description: sanitizeLine(variableDetails(variable)),
    }));
    const heading = `Variables of ${sanitizeLine(name)}:`;
    setHelpList(command, { heading, rows, isInShortHelp: rows.length > 0 });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notices.warning(error.message);
  }
}
