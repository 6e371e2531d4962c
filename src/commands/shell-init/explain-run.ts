import { Failure } from '../../failure.ts';
import { chat } from '../chat/run.ts';
import type { Shell } from '../completion/scripts.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { explainPrompt, explainSystem } from './shell-prompts.ts';
import { readInput } from './read-input.ts';

/** @throws Failure `usage` for a text that is not the exit status of a command that failed */
function failedStatus(text: string): number {
  const status = /^-?\d{1,10}$/.test(text) ? Number(text) : undefined;
  if (status === undefined) {
    throw new Failure('usage', `--explain must be an exit status, not "${text}"`);
  }
  if (status !== 0) return status;
  throw new Failure('usage', 'the last command did not fail: its exit status is 0');
}

/**
 * Runs `natter shell-init <shell> --explain <status>`: explains why the command on standard input failed.
 * @throws Failure; or the reason of an abort
 */
export async function printExplanation(
  context: Context,
  options: GlobalOptions,
  shell: Shell,
  status: string,
): Promise<void> {
  const code = failedStatus(status);
  const command = (await readInput(context)).trim();
  if (command === '') throw new Failure('usage', 'there is no last command to explain');
  const system = explainSystem(shell, context.platform);
  const chatOptions = { ...options, system, stream: true, stdin: false, save: false };
  await chat(context, chatOptions, [explainPrompt(command, code)]);
}
