import { startTimer } from '../clock.ts';
import {
  type AttachedFile,
  composePrompt,
  hasInputPlaceholder,
  inputPlaceholder,
  insertInput,
} from '../conversation/compose-prompt.ts';
import { largestPromptBytes } from '../conversation/context-fit.ts';
import { decodeText, requireEncoding } from '../conversation/decode-text.ts';
import { Failure } from '../failure.ts';
import { definedFields } from '../json.ts';
import { count } from '../output/figures.ts';
import { type ResolvedSettings, withValues } from '../settings/resolved-settings.ts';
import type { Run, GlobalOptions } from '../run.ts';
import { attachFiles, collectBytes, mentionedFiles, refuseUnattached } from './attach-files.ts';
import type { SecretGuard } from './secret-guard.ts';
import type { ConversationOptions } from '../ask/open-conversation.ts';

/** Values of settings are unparsed text. */
export interface PromptOptions extends GlobalOptions {
  readonly file?: readonly string[];
  /** A file, or `-`. */
  readonly messages?: string | undefined;
  /** Messages as `role:text`. */
  readonly M?: readonly string[];
  /** Fails if the service has probably cut the prompt. */
  readonly strict?: boolean;
  /** False with `--no-stream`. */
  readonly stream: boolean;
  /** False with `--no-stdin`. */
  readonly stdin: boolean;
  readonly stdinEncoding?: string;
  readonly lossy?: boolean;
  /** Explicitly a prompt, as in `natter chat modles` and `natter -- modles`. */
  readonly isPrompt?: boolean;
}

/** How standard input is read. */
interface InputRequest {
  /** There is a prompt besides the input, so a silent pipe may be an inherited one. */
  readonly hasPrompt: boolean;
  /** The prompt has a place for the input. */
  readonly isPlaced?: boolean;
  /** Throws if there is no text in standard input, for this reason; absent if none is needed. */
  readonly refuse?: ((reason: string) => never) | undefined;
}

/** Milliseconds without a byte after which a notice says what natter waits for. */
const silenceNotice = 2000;
const source = 'standard input';

/**
 * Reads standard input to its end, however long that takes; undefined if it is not read. A terminal is read only if
 * required.
 * @throws Failure for bytes that are not text, and for required input that is empty or not read
 */
export async function readInput(
  { context, options, presentation: { notices } }: Run<PromptOptions>,
  { required, hasPrompt, refuse }: InputRequest & { readonly required: boolean },
): Promise<string | undefined> {
  const { clock, signal, streams } = context;
  const { stdin } = streams;
  const taken = options.messages === inputWord ? '--messages reads' : undefined;
  const ignored = options.stdin ? taken : '--no-stdin ignores';
  if (ignored !== undefined && required) {
    throw new Failure('usage', `"-" requires standard input, but ${ignored} it`, {
      hint: 'use only one of them',
    });
  }
  if (ignored !== undefined || (stdin.isTerminal && !required)) {
    refuse?.(ignored === undefined ? 'nothing is piped in' : `${ignored} standard input`);
    return undefined;
  }
  if (stdin.isTerminal) notices.notice('reading standard input; press Ctrl+D to end it');
  const silence = hasPrompt && !stdin.isTerminal ? silenceNotice : Infinity;
  const stopNotice = startTimer(clock, silence, () =>
    notices.notice('still waiting for standard input to end; use --no-stdin to ignore it'),
  );
  try {
    const refuseLong = () => {
      const limit = `longer than ${count(largestPromptBytes)} bytes`;
      const text = `standard input is ${limit}, which exceeds every context window`;
      return new Failure('invalid_request', text, { hint: 'send less text' });
    };
    const stream = stdin.bytes(signal);
    const bytes = await collectBytes(stream, largestPromptBytes, refuseLong, stopNotice);
    const { stdinEncoding: encoding, lossy } = options;
    const text = decodeText(bytes, { encoding, lossy, source });
    if (text !== '') return text;
    refuse?.('standard input is empty');
    if (required) throw new Failure('usage', 'standard input is empty, but "-" requires it');
    if (hasPrompt && stdin.isRedirected()) {
      notices.notice('standard input was empty; only the prompt is sent');
    }
    return text;
  } catch (error) {
    if (error instanceof Failure || signal.aborted) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const hint = 'use --no-stdin to ignore it';
    throw new Failure('usage', `cannot read standard input: ${reason}`, { hint, cause: error });
  } finally {
    stopNotice();
  }
}

/** The prompt word, and the name of a file, that means standard input and requires it. */
export const inputWord = '-';
/** The name of standard input as a file. */
export const inputName = 'stdin';

/** The files to attach, and whether standard input is required: by the word `-`, or as a file. */
export function namedInputs({ file = [] }: PromptOptions, words: readonly string[]) {
  const names = file.filter((name) => name !== inputWord);
  const isFile = names.length < file.length;
  return { names, isFile, required: isFile || words.includes(inputWord) };
}

/** The settings with the system prompt of {@link readPrompt}, if it has one. */
export function withSystem(settings: ResolvedSettings, { system }: { system: string | undefined }) {
  return withValues(settings, definedFields({ system }));
}

/** What refuses a prompt, or a value of `--system`, with a placeholder for missing input; undefined without one. */
function inputRefusal({ stdin, system }: PromptOptions, prompt: string) {
  const inPrompt = hasInputPlaceholder(prompt);
  if (!stdin || !(inPrompt || hasInputPlaceholder(system))) return undefined;
  const place = inPrompt ? 'the prompt' : '--system';
  return (reason: string): never => {
    throw new Failure('usage', `${place} contains ${inputPlaceholder}, but ${reason}`, {
      hint: 'pipe something in, or use --no-stdin to send it unchanged',
    });
  };
}

/** What is sent besides the words of a prompt: attached files, and standard input if it was read. */
export interface PromptSources {
  readonly files: readonly AttachedFile[];
  readonly input?: string | undefined;
}

/**
 * Reads the files to attach, then standard input, and checks them for secrets. With `-f -`, standard input is a file,
 * unless the prompt has a place for it.
 * @param words of the command line; `-` requires standard input
 * @throws Failure
 */
export async function readSources(
  run: Run<PromptOptions> & { readonly guard?: SecretGuard | undefined },
  words: readonly string[],
  request: InputRequest,
): Promise<PromptSources> {
  const { context, guard, options, presentation } = run;
  const { stdinEncoding: encoding, lossy } = options;
  if (encoding !== undefined) requireEncoding(encoding);
  const { names, isFile, required } = namedInputs(options, words);
  const { signal } = context;
  const reading = { encoding, lossy, signal, context, notices: presentation.notices };
  const files = await attachFiles(names, reading);
  const hasPrompt = request.hasPrompt || names.length > 0;
  const input = await readInput(run, { ...request, hasPrompt, required });
  const piped = input === undefined ? [] : [{ name: source, content: input }];
  const read = [...files, ...piped];
  const texts = (await guard?.inspect(read)) ?? read;
  const content = texts[files.length]?.content;
  const attached = texts.slice(0, files.length);
  if (!isFile || content === undefined || request.isPlaced === true) {
    return { files: attached, input: content };
  }
  return { files: [...attached, { name: inputName, content }] };
}

/**
 * Composes prompt words, attached files and standard input. If `--system` contains `{{stdin}}`, standard input is
 * inserted there instead, and the result has its value.
 * @param command how the command begins, for the example in a hint
 * @throws Failure `usage` if there is nothing to send, or requested input is not available
 */
export async function readPrompt(
  run: Run<PromptOptions & ConversationOptions> & { readonly guard?: SecretGuard | undefined },
  words: readonly string[],
  command?: string,
) {
  const { options } = run;
  const promptWords = words.filter((word) => word !== inputWord);
  const prompt = promptWords.join(' ');
  const { names } = namedInputs(options, words);
  if (names.length > 0 && options.isPrompt !== true) refuseUnattached(promptWords);
  const mentioned = options.isPrompt === true ? [] : mentionedFiles(promptWords);
  for (const name of mentioned.filter((one) => !names.includes(one))) {
    run.presentation.notices.notice(`${name} is not attached; ‹-f ${name}› attaches it`);
  }
  const isInPrompt = hasInputPlaceholder(prompt);
  const { files, input } = await readSources(run, words, {
    hasPrompt: prompt !== '',
    isPlaced: isInPrompt || hasInputPlaceholder(options.system),
    refuse: inputRefusal(options, prompt),
  });
  const system = input === undefined ? undefined : insertInput(options.system, input);
  const isInSystem = system !== undefined && !isInPrompt;
  const text = composePrompt({ prompt, files, input: isInSystem ? undefined : input });
  if (text.trim() !== '') return { prompt: text, system };
  if (options.messages !== undefined || options.M !== undefined) {
    const missing = 'there is no prompt, and the messages do not end with one of the role "user"';
    throw new Failure('usage', missing, { hint: 'add a prompt' });
  }
  const usual = options.resume === true ? 'natter --resume latest' : 'natter';
  throw new Failure('usage', 'there is nothing to send', {
    hint: `for example: ‹${command ?? usual} "why is the sky blue?"›`,
  });
}
