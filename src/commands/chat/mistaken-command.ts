import { Failure } from '../../failure.ts';
import { createNotices } from '../../output/notices.ts';
import type { ChatOptions } from './options.ts';
import type { Context } from '../program/context.ts';
import { maskMessage } from '../program/mask-secrets.ts';
import { meantCommands } from './meant-command.ts';

type Options = Pick<ChatOptions, 'input' | 'quiet'>;

/**
 * A prompt that is a mistyped command in all likelihood (`natter modles`, `natter model list`, `natter login`) is
 * questioned where a person can answer. In a pipe or script, which may mean it, it is sent, with one line on standard
 * error.
 * @throws Failure of kind `usage` when it is not to be sent
 */
export async function confirmMistakenCommand(
  context: Context,
  options: Options,
  words: readonly string[],
): Promise<void> {
  const meant = meantCommands(words, context.commands());
  if (meant === undefined) return;
  const prompt = words.join(' ');
  const commands = meant.join(' or ');
  const { stdin, stderr } = context.streams;
  const doubt = `"${prompt}" looks like ${commands === '' ? 'a command' : `the command ${commands}`}`;
  const isAsked = stdin.isTerminal && stderr.isTerminal;
  const mask = (text: string) => maskMessage(context.secrets, text);
  const notices = createNotices(stderr, options.quiet === true && !isAsked, mask);
  notices.notice(isAsked ? doubt : `${doubt}; sending it as a prompt`);
  if (!isAsked) return;
  if (options.input) {
    const reply = await context.ask('Send it as a prompt? [y/N] ', { signal: context.signal });
    if (/^y(es)?$/i.test(reply.trim())) return;
  }
  const advice = commands === '' ? '' : `did you mean ${commands}? `;
  throw new Failure('usage', `"${prompt}" was not sent`, {
    hint: `${advice}to send it: natter -- ${prompt}`,
  });
}
