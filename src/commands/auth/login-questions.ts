import { detailsOf } from '../../client/failure/request-failure.ts';
import { decodeText } from '../../conversation/decode-text.ts';
import { Failure } from '../../failure.ts';
import { definitions } from '../../settings/definitions.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { parseApiKey, parseSettingValue, type ValueOrigin } from '../../settings/setting-value.ts';
import type { InputStream } from '../../terminal/device/streams.ts';
import { present, type Context, type GlobalOptions } from '../../run.ts';

const maxAttempts = 3;

function canAsk({ streams }: Pick<Context, 'streams'>, { input }: GlobalOptions): boolean {
  return streams.stdin.isTerminal && input;
}

/**
 * Runs `attempt`, and on a terminal runs it again, with a warning, if the input was refused. The first attempt has
 * the number 1.
 * @param isRefusal whether new input can help
 */
export async function askAgain<Result>(
  context: Context,
  options: GlobalOptions,
  isRefusal: (failure: Failure) => boolean,
  attempt: (number: number) => Promise<Result>,
): Promise<Result> {
  const { notices } = await present(context, options);
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (error) {
      const isFinal = !canAsk(context, options) || number === maxAttempts;
      if (isFinal || !(error instanceof Failure) || !isRefusal(error)) throw error;
      notices.warning(`${error.message}; try again, or press Ctrl+C to quit`);
    }
  }
}

/** The input is not valid; unlike for the end of the input, it can be entered again. */
class InvalidInput extends Failure {}

/** @throws InvalidInput for a failure of `parse` */
function parseInput<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new InvalidInput(error.kind, error.message, detailsOf(error));
  }
}

export const isInvalidInput = (failure: Failure): boolean => failure instanceof InvalidInput;

const typedBaseUrl: ValueOrigin = { label: 'the base URL', kind: 'usage' };

/** The base URL of the flag or environment, else the one that the user enters. @throws Failure `usage` */
export async function askBaseUrl(
  context: Context,
  options: GlobalOptions,
  settings: ResolvedSettings,
): Promise<string> {
  const { baseUrl: known } = settings.values;
  const isExplicit = settings.sources.baseUrl.kind !== 'profile' && known !== undefined;
  if (isExplicit) return known;
  if (!canAsk(context, options)) {
    if (known !== undefined) return known;
    throw new Failure('usage', 'no base URL is set', {
      hint: 'pass it: natter auth login --base-url https://api.example.com',
    });
  }
  const question = `Base URL of the service${known === undefined ? '' : ` [${known}]`}: `;
  // Refuses an invalid URL before it asks for the key.
  return askAgain(context, options, isInvalidInput, async (number) => {
    const { signal } = context;
    const answer = await context.ask(question, { signal, keep: true, discardTyped: number > 1 });
    if (answer.trim() === '' && known !== undefined) return known;
    return parseInput(() => parseSettingValue(definitions.baseUrl, answer, typedBaseUrl));
  });
}

const maxKeyLength = 8192;

async function readKey(stdin: InputStream, signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stdin.bytes(signal)) {
    size += chunk.length;
    if (size > maxKeyLength) throw new Failure('usage', 'standard input is too long for a key');
    chunks.push(chunk);
  }
  // PowerShell writes UTF-16 with a byte order mark. Parsing the key refuses bytes that are not text.
  return decodeText(Buffer.concat(chunks), { source: 'standard input', lossy: true });
}

/**
 * The key from standard input, or the one that the user enters; undefined for an empty line, if the service needs none.
 * @param isAgain discards text typed before the question
 * @throws Failure `usage`
 */
export async function askKey(
  context: Context,
  options: GlobalOptions,
  isAgain: boolean,
): Promise<string | undefined> {
  const { signal } = context;
  const { stdin } = context.streams;
  if (!stdin.isTerminal) {
    const key = await readKey(stdin, signal);
    if (key.trim() !== '') return parseApiKey(key, 'the API key', 'usage');
    throw new Failure('usage', 'standard input has no API key', {
      hint: 'pipe it in: printf %s "$KEY" | natter auth login',
    });
  }
  if (!options.input) {
    throw new Failure('usage', 'with --no-input, the key must be piped in', {
      hint: 'natter auth login --no-input < key.txt',
    });
  }
  const question = 'API key (not shown; empty for none): ';
  const text = await context.ask(question, {
    hidden: true,
    signal,
    keep: true,
    discardTyped: isAgain,
  });
  if (text.trim() === '') return undefined;
  return parseInput(() => parseApiKey(text, 'the API key', 'usage'));
}
