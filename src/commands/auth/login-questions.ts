import { detailsOf } from '../../client/failure/request-failure.ts';
import { decodeText } from '../../conversation/decode-text.ts';
import { Failure } from '../../failure.ts';
import { parseApiKey, parseSettingValue, type ValueOrigin } from '../../settings/setting-value.ts';
import { definitions } from '../../settings/definitions.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { LoginOptions } from './options.ts';
import type { Context } from '../program/context.ts';
import { present } from '../print/presentation.ts';

/** So often a person is asked for the same thing. */
const mostTries = 3;

/** Somebody is there who can answer another time. */
function canAsk({ streams }: Pick<Context, 'streams'>, { input }: LoginOptions): boolean {
  return streams.stdin.isTerminal && input;
}

/**
 * Runs `attempt`; where a person is there and what they entered is refused, says why and runs it again. The first
 * attempt has the number 1.
 * @param isRefusal whether a failure is for what was entered
 */
export async function tryAgain<Result>(
  context: Context,
  options: LoginOptions,
  isRefusal: (failure: Failure) => boolean,
  attempt: (number: number) => Promise<Result>,
): Promise<Result> {
  const { notices } = await present(context, options);
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (error) {
      const isFinal = !canAsk(context, options) || number === mostTries;
      if (isFinal || !(error instanceof Failure) || !isRefusal(error)) throw error;
      notices.warning(`${error.message}; try again, or press Ctrl-C to quit`);
    }
  }
}

/** What was entered is of no use, as against an input that has ended. */
class Refused extends Failure {}

/** @throws Refused for a failure of `parse` */
function parseEntered<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Refused(error.kind, error.message, detailsOf(error));
  }
}

/** Whether a failure is for an answer that is no address or no key. */
export const isRefused = (failure: Failure): boolean => failure instanceof Refused;

const typedBaseUrl: ValueOrigin = { label: 'the base URL', kind: 'usage' };

/**
 * The address that was decided, else the one that a person enters.
 * @throws Failure `usage`
 */
export async function askBaseUrl(
  context: Context,
  options: LoginOptions,
  settings: ResolvedSettings,
): Promise<string> {
  const { baseUrl: known } = settings.values;
  const decided = settings.sources.baseUrl.kind !== 'profile' && known !== undefined;
  if (decided) return known;
  if (!canAsk(context, options)) {
    if (known !== undefined) return known;
    throw new Failure('usage', 'no base URL is set', {
      hint: 'pass it: natter auth login --base-url https://api.example.com',
    });
  }
  const question = `Base URL of the service${known === undefined ? '' : ` [${known}]`}: `;
  // Refused before the key is asked for, not after.
  return tryAgain(context, options, isRefused, async (number) => {
    const { signal } = context;
    const answer = await context.ask(question, { signal, keep: true, afresh: number > 1 });
    if (answer.trim() === '' && known !== undefined) return known;
    return parseEntered(() => parseSettingValue(definitions.baseUrl, answer, typedBaseUrl));
  });
}

const longestKey = 8192;

async function readKeyFromInput({
  streams,
  signal,
}: Pick<Context, 'streams' | 'signal'>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of streams.stdin.bytes(signal)) {
    size += chunk.length;
    if (size > longestKey) throw new Failure('usage', 'standard input is too long for a key');
    chunks.push(chunk);
  }
  // A byte order mark means UTF-16, as PowerShell writes it; what is no text is refused as a key.
  return decodeText(Buffer.concat(chunks), { source: 'standard input', lossy: true });
}

/**
 * The key of standard input or of a person, whose empty answer means that the service wants none.
 * @param isAgain what was typed before the question is no answer to it
 * @throws Failure `usage`
 */
export async function askKey(
  context: Context,
  options: LoginOptions,
  isAgain: boolean,
): Promise<string | undefined> {
  if (!context.streams.stdin.isTerminal) {
    return parseApiKey(await readKeyFromInput(context), 'the API key', 'usage');
  }
  if (!options.input) {
    throw new Failure('usage', 'the key must come on standard input with --no-input', {
      hint: 'natter auth login --no-input < key.txt',
    });
  }
  const { signal } = context;
  const question = 'API key (not shown; empty for none): ';
  const text = await context.ask(question, { hidden: true, signal, keep: true, afresh: isAgain });
  if (text.trim() === '') return undefined;
  return parseEntered(() => parseApiKey(text, 'the API key', 'usage'));
}
