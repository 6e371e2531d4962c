import { largestPromptBytes } from '../../conversation/context-fit.ts';
import { decodeText } from '../../conversation/decode-text.ts';
import { Failure } from '../../failure.ts';
import { count } from '../../output/figures.ts';
import type { Notices } from '../../output/notices.ts';
import type { Context } from '../program/context.ts';

export interface InputOptions {
  /** `-`: input must be there, a terminal's too. */
  readonly required: boolean;
  /** `--no-stdin`: input is left alone. */
  readonly ignored: boolean;
  /** There is a prompt beside the input, so a silent producer may be an inherited pipe. */
  readonly hasPrompt: boolean;
  readonly encoding?: string | undefined;
  readonly lossy?: boolean | undefined;
}

/** After so long without a byte the person is told what natter waits for. */
const silenceNotice = 2000;
const source = 'standard input';

async function noticeSilence(context: Context, notices: Notices, stop: AbortSignal): Promise<void> {
  try {
    await context.clock.sleep(silenceNotice, stop);
  } catch (error) {
    if (stop.aborted) return;
    throw error;
  }
  notices.notice('still waiting for standard input to end; use --no-stdin to ignore it');
}

function refuseTooLarge(size: number): void {
  if (size <= largestPromptBytes) return;
  const limit = count(largestPromptBytes);
  throw new Failure(
    'invalid_request',
    `standard input is longer than ${limit} bytes, which exceeds every context window`,
    { hint: 'send less text' },
  );
}

async function readAll(context: Context, arrived: () => void): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of context.streams.stdin.bytes(context.signal)) {
      arrived();
      size += chunk.length;
      refuseTooLarge(size);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof Failure || context.signal.aborted) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure('usage', `cannot read standard input: ${reason}`, {
      hint: 'use --no-stdin to ignore it',
      cause: error,
    });
  }
  return Buffer.concat(chunks, size);
}

/**
 * What standard input holds, or undefined where it was not read: a terminal is read only when required.
 * Waits for the end of input however long it takes; nothing is guessed or cut.
 * @throws Failure for bytes that are not text, and for input that is required but empty
 */
export async function readInput(
  context: Context,
  notices: Notices,
  options: InputOptions,
): Promise<string | undefined> {
  const { stdin } = context.streams;
  if (options.ignored || (stdin.isTerminal && !options.required)) return undefined;
  if (stdin.isTerminal) notices.notice('reading standard input; press Ctrl-D to end it');
  const silence = new AbortController();
  if (options.hasPrompt && !stdin.isTerminal) void noticeSilence(context, notices, silence.signal);
  try {
    const bytes = await readAll(context, () => silence.abort('input'));
    const text = decodeText(bytes, { ...options, source });
    if (text === '' && options.required) {
      throw new Failure('usage', 'standard input is empty, but "-" requires it');
    }
    return text;
  } finally {
    silence.abort('input ended');
  }
}
