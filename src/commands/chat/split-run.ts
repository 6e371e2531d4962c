import { join } from 'node:path';
import type { Answer, Sink } from '../../ask/ask.ts';
import {
  askChain,
  type ChainClients,
  type FallbackModel,
  isTooLong,
  chainClients,
  chainOf,
  fallbackModels,
} from '../../ask/fallback.ts';
import { promptMessages } from '../../ask/plan-request.ts';
import {
  askPieces,
  combineAnswers,
  combinePrompt,
  combineRequests,
  hashOf,
  KeptAnswers,
  leastBudget,
  longestPrompt,
  type Piece,
  type PieceAnswer,
  piecePrompt,
  planPieces,
  type Room,
  roomFor,
} from '../../ask/split.ts';
import {
  type AttachedFile,
  composePrompt,
  hasInputPlaceholder,
} from '../../conversation/compose-prompt.ts';
import { contextFit, smallestModelFor } from '../../conversation/context-fit.ts';
import { estimateMessages } from '../../conversation/token-estimate.ts';
import { Failure } from '../../failure.ts';
import { failureFields } from '../../output/ending-failure.ts';
import { count, countOf, tokenText } from '../../output/figures.ts';
import { answerFields, jsonLine } from '../../output/json-answer.ts';
import { finishNotice, truncationFailure, truncationWarning } from '../../output/notices.ts';
import { createStatusLine } from '../../output/activity.ts';
import { resolveFolders } from '../../settings/folders.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { makePrivateFolder } from '../../storage/files.ts';
import { createTextOutput, lookOf } from '../../output/answer-output.ts';
import { printJson } from '../../output/print-data.ts';
import { openWindowStatus } from '../../output/window-status.ts';
import type { Context } from '../../run.ts';
import { cleanLine } from '../../secrets/secrets.ts';
import { openSecretGuard, type SecretGuard } from '../../input/secret-guard.ts';
import {
  inputName,
  inputWord,
  namedInputs,
  type PromptSources,
  readSources,
} from '../../input/read-prompt.ts';
import { openService, type Service } from '../../ask/service.ts';
import { type ChatOptions, type ChatRun, prepare } from './chat-run.ts';
import { sendPrompt } from './run.ts';

interface SplitRun extends ChatRun {
  readonly prompt: string;
  readonly room: Room;
  readonly pieces: readonly Piece[];
  /** The pieces for a different number of tokens. */
  readonly planFor: (budget: number) => ReturnType<typeof planPieces>;
}

/** Options of a conversation, and of other ways to send a prompt. */
const unusable = ['jsonl', 'continue', 'resume', 'branch', 'every'] as const;

/** @throws Failure `usage` */
function checkOptions(options: ChatOptions, prompt: string): void {
  const found = unusable.find((name) => options[name] !== undefined && options[name] !== false);
  if (found !== undefined) {
    throw new Failure('usage', `--split and --${found} cannot be used together`, {
      hint: 'a long text is sent in several requests, which are not a conversation',
    });
  }
  if (prompt === '') {
    throw new Failure('usage', '--split needs a prompt', {
      hint: 'for example: ‹natter --split auto -f book.txt "sum up"›',
    });
  }
  if (!hasInputPlaceholder(prompt) && !hasInputPlaceholder(options.system)) return;
  throw new Failure(
    'usage',
    '--split puts the pieces after the prompt, not in place of {{stdin}}',
    {
      hint: 'remove {{stdin}}',
    },
  );
}

async function readTexts(
  run: ChatRun,
  words: readonly string[],
  guard: SecretGuard | undefined,
): Promise<PromptSources> {
  const { names, required } = namedInputs(run.options, words);
  const request = { names, required, hasPrompt: true, guard };
  const sources = await readSources(run, request);
  if (sources.files.length > 0 || (sources.input ?? '') !== '') return sources;
  throw new Failure('usage', '--split needs a text: a file, a folder or standard input', {
    hint: 'for example: ‹natter --split auto -f book.txt "sum up"›',
  });
}

const textsOf = ({ files, input }: PromptSources): readonly AttachedFile[] =>
  input === undefined || input === '' ? files : [...files, { name: inputName, content: input }];

/** The settings with a model in place of `auto`. */
function withModel(settings: ResolvedSettings, tokens: number): ResolvedSettings {
  const { values, windows } = settings;
  if (values.model !== 'auto') return settings;
  return { ...settings, values: { ...values, model: smallestModelFor(tokens, windows) } };
}

const tokensOf = (pieces: readonly Piece[]) => pieces.reduce((sum, { tokens }) => sum + tokens, 0);

/** `{pieces, requests, tokens, texts: [{piece, tokens, names}]}`; tokens are estimates of what is sent. */
async function printPlan({ context, settings, prompt, room, pieces }: SplitRun): Promise<void> {
  const overhead = estimateMessages(promptMessages(settings.values.system, longestPrompt(prompt)));
  const combining = combineRequests(pieces.length, room);
  await printJson(context, {
    model: settings.values.model,
    pieces: pieces.length,
    requests: { pieces: pieces.length, combine: combining, total: pieces.length + combining },
    tokens: {
      pieces: tokensOf(pieces) + pieces.length * overhead,
      combine: combining * overhead + pieces.length * room.answer,
    },
    texts: pieces.map(({ texts, tokens }, index) => ({
      piece: index + 1,
      tokens,
      names: texts.map(({ name }) => name),
    })),
  });
}

/** The share of the tokens that the next pieces have after the service has refused longer ones. */
const smallerShare = 0.6;

/** Cuts smaller pieces while the service finds them too long: it counts more tokens than the estimate. */
async function sendFitting(run: SplitRun): Promise<void> {
  try {
    await sendPieces(run);
  } catch (error) {
    const { room, planFor, presentation } = run;
    const budget = Math.floor(room.budget * smallerShare);
    if (!(error instanceof Failure) || !isTooLong(error) || budget < leastBudget) throw error;
    const { pieces } = planFor(budget);
    const number = count(pieces.length);
    presentation.notices.warning(
      `the service counts more tokens than natter; cutting the text into ${number} smaller pieces`,
    );
    await sendFitting({ ...run, room: { ...room, budget }, pieces });
  }
}

/** What sends the prompts of a split text. */
interface Sending {
  readonly run: SplitRun;
  readonly models: readonly FallbackModel[];
  readonly service: Service;
  readonly clients: ChainClients;
  readonly warn: (text: string) => void;
}

/** Asks with one prompt, with the models of `--fallback`. */
function askOne(
  { run, models, service, clients, warn }: Sending,
  prompt: string,
  sink?: Sink,
): Promise<Answer> {
  const { context, options, settings, guard } = run;
  const { signal } = context;
  const messages = promptMessages(settings.values.system, prompt);
  const chain = chainOf(models, messages, options.stream, warn);
  // The answers of pieces are sent again.
  const restorer = sink === undefined ? undefined : guard;
  const how = { clients, clock: service.clock, signal, guard: restorer, warn };
  return askChain(chain, how, sink);
}

/** The answer for a piece. One that was cut is asked for once more; `--strict` refuses one for a cut prompt. */
async function askPiece(sending: Sending, prompt: string): Promise<Answer> {
  const first = await askOne(sending, prompt);
  const isCut = first.failure?.kind === 'incomplete' && !first.isStopped;
  const answer = isCut ? await askOne(sending, prompt) : first;
  const { metadata, failure } = answer;
  const warning = truncationWarning(metadata);
  if (warning === undefined) return answer;
  sending.warn(warning);
  const isStrict = sending.run.options.strict === true;
  return { ...answer, failure: failure ?? (isStrict ? truncationFailure(metadata) : undefined) };
}

/** Shows how many pieces are answered, on standard error and in the title of the window. */
function createProgress({ context, presentation, options, settings }: SplitRun, total: number) {
  const isShown = presentation.animated && options.quiet !== true;
  const window = openWindowStatus(context, isShown, settings.values);
  const line = createStatusLine(context, presentation);
  let ended = 0;
  const show = () => {
    if (!isShown) return;
    const share = Math.floor((100 * ended) / total);
    line.draw(`${count(ended)} of ${countOf(total, 'piece')} answered · Ctrl+C stops`);
    window.show(`${share}% - natter --split`, ended === 0 ? 'busy' : share);
  };
  return {
    show,
    next() {
      ended += 1;
      show();
    },
    clear: () => line.leave(false),
    end() {
      line.leave(false);
      window.end();
    },
  };
}

/** Where the answers are kept; undefined if nothing is saved. The same command continues with the same file. */
function keptFile({ context, settings }: SplitRun, prompts: readonly string[]): string | undefined {
  const { state } = resolveFolders(context);
  const { model, system = '', save } = settings.values;
  if (state === undefined || !save) return undefined;
  const folder = join(state, 'split');
  makePrivateFolder(folder);
  return join(folder, `${hashOf(model, system, ...prompts)}.jsonl`);
}

/** @returns the answers for the pieces, and what is left to combine */
async function answerPieces(sending: Sending, prompts: readonly string[], kept: KeptAnswers) {
  const { context, prompt, room } = sending.run;
  const progress = createProgress(sending.run, prompts.length);
  const reported = new Set<string>();
  const warn = (text: string) => {
    if (reported.has(text)) return;
    reported.add(text);
    progress.clear();
    sending.warn(text);
  };
  const send = (next: readonly string[]) =>
    askPieces(next, kept, context.signal, async (text) => {
      const answer = await askPiece({ ...sending, warn }, text);
      progress.next();
      return answer;
    });
  progress.show();
  try {
    const answers = await send(prompts);
    return { answers, last: await combineAnswers(answers, prompt, room, send) };
  } finally {
    progress.end();
  }
}

/** Asks for the answer to the whole prompt, and prints it. @throws Failure */
async function printFinalAnswer(
  sending: Sending,
  last: Piece,
  answers: readonly PieceAnswer[],
): Promise<void> {
  const { run } = sending;
  const { context, format, presentation, settings, prompt } = run;
  const output = format === 'json' ? undefined : await createTextOutput(run, lookOf(settings));
  const sink = output?.printer ?? { event: () => undefined };
  const answer = await askOne(sending, combinePrompt(prompt, last), sink);
  const { content, metadata, failure } = answer;
  await output?.printer.end();
  context.signal.throwIfAborted();
  if (output === undefined) {
    const clean = (text: string) => cleanLine(context, text);
    const pieces = answers.map(({ content: text, usage }, index) => {
      const names = run.pieces[index]?.texts.map(({ name }) => name);
      return { piece: index + 1, names, content: text, usage };
    });
    const fields = answerFields(metadata, content, settings.values.model);
    await context.streams.stdout.write(
      jsonLine({ ...fields, pieces, ...failureFields(failure, clean) }),
    );
  }
  if (failure !== undefined) throw failure;
  const notice = finishNotice(metadata);
  if (notice !== undefined) presentation.notices.notice(notice);
}

async function sendPieces(run: SplitRun): Promise<void> {
  const { context, presentation, prompt, pieces } = run;
  const { notices } = presentation;
  const prompts = pieces.map((piece, index) =>
    piecePrompt(prompt, piece, index + 1, pieces.length),
  );
  const models = fallbackModels(run);
  const service = await openService(run, { command: 'chat --split' });
  const clients = chainClients(service, run);
  const warn = (text: string) => notices.warning(text);
  const sending = { run, models, service, clients, warn };
  const kept = new KeptAnswers(keptFile(run, prompts));
  try {
    if (kept.saved > 0) {
      notices.notice(`continuing: ${count(kept.saved)} answers are from an earlier run`);
    }
    const { answers, last } = await answerPieces(sending, prompts, kept);
    await printFinalAnswer(sending, last, answers);
    kept.remove();
  } catch (error) {
    // Pieces that are too long are not sent again.
    if (error instanceof Failure && isTooLong(error)) kept.remove();
    if (context.signal.aborted && kept.saved > 0) {
      const text = `${countOf(kept.saved, 'answer')} kept`;
      notices.notice(`${text}; run the same command again to send the rest`);
    }
    throw error;
  } finally {
    await clients.close();
    await service.close();
  }
}

/**
 * Sends a text that does not fit in pieces, and combines the answers.
 * @throws Failure, or the reason `context.signal` was aborted with
 */
export async function runSplit(
  context: Context,
  options: ChatOptions,
  words: readonly string[],
): Promise<void> {
  const prompt = words.filter((word) => word !== inputWord).join(' ');
  checkOptions(options, prompt);
  const chatRun = await prepare(context, options);
  const { notices } = chatRun.presentation;
  const own = chatRun.settings;
  const guard = openSecretGuard(chatRun);
  const sources = await readTexts(chatRun, words, guard);
  const whole = composePrompt({ prompt, ...sources });
  const { system, maxTokens } = own.values;
  const messages = promptMessages(system, whole);
  const tokensOfAll = estimateMessages(messages) + (maxTokens ?? 0);
  const settings = withModel(own, tokensOfAll);
  const room = roomFor(settings, longestPrompt(prompt));
  const fits = contextFit(settings.values.model, tokensOfAll, settings.windows).state !== 'over';
  const border = options.split === 'lines' ? 'lines' : 'paragraphs';
  const planFor = (budget: number) => planPieces(textsOf(sources), border, budget);
  const { pieces, longLines } = planFor(room.budget);
  if (pieces.length === 1 || (fits && options.split === 'auto')) {
    return sendPrompt({ ...chatRun, guard, settings }, whole);
  }
  notices.notice(`${count(pieces.length)} pieces, ${tokenText(tokensOf(pieces), true)}`);
  if (longLines > 0) {
    notices.notice(`lines longer than a piece were cut between characters: ${count(longLines)}`);
  }
  const run = { ...chatRun, settings, guard, prompt, room, pieces, planFor };
  return options.dryRun === true ? printPlan(run) : sendFitting(run);
}
