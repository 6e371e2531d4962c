import type { Command } from 'commander';
import { Failure } from '../../failure.ts';
import { nearlyNamed } from './command-line.ts';
import { namesBelow } from './help-format.ts';

/**
 * Refuses the words that a group's default command got because they name no command of the group.
 * @param instead what a word may have been meant for that is near to no command
 * @throws Failure of kind `usage`
 */
export function refuseWords(defaultCommand: Command, instead: (word: string) => string): void {
  const { args, parent } = defaultCommand;
  const [word, second] = args;
  if (word === undefined || parent === null) return;
  const group = `natter ${parent.name()}`;
  const near = second === undefined ? nearlyNamed(word, namesBelow(parent)) : undefined;
  throw new Failure('usage', `there is no command "${group} ${word}"`, {
    hint: near === undefined ? instead(word) : `did you mean ${group} ${near}?`,
  });
}
