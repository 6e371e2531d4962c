// Sends a long text in pieces, keeps their answers until all are there, and combines them.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, failureOfSeveral } from '../../ask/ask.ts';
import { isTooLong, openAsker } from '../../ask/fallback.ts';
import { promptMessages } from '../../ask/plan-request.ts';
import {
  combinePrompt,
  combineRequests,
  leastBudget,
  longestPrompt,
  packTexts,
  type Piece,
  piecePrompt,
  planPieces,
  type Room,
  roomFor,
} from '../../ask/split.ts';
import { undiciNetwork } from '../../client/http/undici-network.ts';
import { composePrompt, hasInputPlaceholder } from '../../conversation/compose-prompt.ts';
import { contextFit, smallestModelFor } from '../../conversation/context-fit.ts';
import { estimateMessages } from '../../conversation/token-estimate.ts';
import { Failure } from '../../failure.ts';
import { count, countOf, tokenText } from '../../output/figures.ts';
import { finishNotice, truncationFailure, truncationWarning } from '../../output/notices.ts';
import { createStatusLine } from '../../output/activity.ts';
import { withValues } from '../../settings/resolved-settings.ts';
import { resolveFolders } from '../../settings/folders.ts';
import { makePrivateFolder, removeFile } from '../../storage/files.ts';
import { readLines } from '../../storage/read-lines.ts';
import { appendLine } from '../../storage/append-file.ts';
import { storageFailure } from '../../storage/storage-failure.ts';
import { isJsonObject, parseJson } from '../../json.ts';
import { createAnswerPrinter, refuseClosedOutput } from '../../output/answer-printer.ts';
import { printJson } from '../../output/print-data.ts';
import { refusedWindow } from '../../usage/windows.ts';
import { openWindowStatus } from '../../output/window-status.ts';
import { openSecretGuard } from '../../input/secret-guard.ts';
import { inputName, readSources } from '../../input/read-prompt.ts';
import { type ChatAction, type ChatRun, prepare, promptOf, sendPrompt } from './run.ts';

interface SplitRun extends ChatRun {
  readonly prompt: string;
  readonly room: Room;
  readonly pieces: readonly Piece[];
  /** The pieces for a different number of tokens. */
  readonly planFor: (budget: number) => ReturnType<typeof planPieces>;
}

const example = 'for example: ‹natter --split auto -f book.txt "sum up"›';

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

/** Shows how many pieces are answered, on standard error and in the title of the window. */
function createProgress({ context, presentation, options, settings }: SplitRun, total: number) {
  const isShown = presentation.animated && options.quiet !== true;
  const window = openWindowStatus(context, isShown, settings.values);
  const line = createStatusLine(context, presentation);
  return {
    show(ended: number) {
      if (!isShown) return;
      const share = Math.floor((100 * ended) / total);
      line.draw(`${count(ended)} of ${countOf(total, 'piece')} answered · Ctrl+C stops`);
      window.show(`${share}% - natter --split`, ended === 0 ? 'busy' : share);
    },
    clear: () => line.leave(false),
    end() {
      line.leave(false);
      window.end();
    },
  };
}

/** Short enough for the name of a file. */
const hashOf = (...texts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32);

interface PieceAnswer {
  readonly content: string;
  readonly usage: unknown;
}

/**
 * Opens the answers for prompts, in memory and in a file, so that the same command does not ask again.
 * @param file undefined if nothing is saved
 * @throws Failure `storage`
 */
export function openKept(file: string | undefined) {
  const answers = new Map<string, PieceAnswer>();
  try {
    for (const line of file !== undefined && existsSync(file) ? readLines(file) : []) {
      const value = parseJson(line);
      // The last line may have been cut.
      if (!isJsonObject(value)) continue;
      const { prompt, content, usage } = value;
      const isWhole = typeof prompt === 'string' && typeof content === 'string';
      if (isWhole) answers.set(prompt, { content, usage });
    }
  } catch (error) {
    throw storageFailure('read', file ?? '', error);
  }
  return {
    saved: () => (file === undefined ? 0 : answers.size),
    find: (prompt: string) => answers.get(hashOf(prompt)),
    keep(prompt: string, { content, metadata }: Answer): void {
      const answer = { content, usage: metadata.usage ?? null };
      const hash = hashOf(prompt);
      answers.set(hash, answer);
      if (file !== undefined) appendLine(file, JSON.stringify({ prompt: hash, ...answer }));
    },
    remove: () => file !== undefined && removeFile(file),
  };
}

const atOnce = 4;

/** No more prompts are sent after so many failures in a row. */
const mostFailures = 4;

/**
 * Sends the prompts that have no answer yet, and keeps the answers.
 * @returns the answers to all prompts, in their order
 * @throws Failure for prompts that failed, or the reason of the signal
 */
export async function askPieces(
  prompts: readonly string[],
  kept: ReturnType<typeof openKept>,
  signal: AbortSignal,
  send: (prompt: string) => Promise<Answer>,
): Promise<readonly PieceAnswer[]> {
  const failures: Failure[] = [];
  let inRow = 0;
  function* missing() {
    yield* prompts.filter((prompt) => kept.find(prompt) === undefined);
  }
  const waiting = missing();
  /** Several calls run at the same time; one that leaves the loop closes the generator, so that no more is sent. */
  const sendWaiting = async (): Promise<void> => {
    for (const prompt of waiting) {
      const answer = await send(prompt);
      const { failure, isStopped } = answer;
      if (isStopped) return;
      inRow = failure === undefined ? 0 : inRow + 1;
      if (failure === undefined) kept.keep(prompt, answer);
      else if (failure.kind === 'budget') throw failure;
      else failures.push(failure);
      if (inRow >= mostFailures || failure?.kind === 'unauthorized') return;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, sendWaiting));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  signal.throwIfAborted();
  const hint = 'run the same command again to send only what is missing';
  const failure = failureOfSeveral(failures, prompts.length, 'pieces', hint);
  if (failure !== undefined) throw failure;
  return prompts.map((prompt) => kept.find(prompt) as PieceAnswer);
}

/** Combines the answers for pieces until they fit in one request. @throws Failure if they never do */
async function combineAnswers(
  answers: readonly PieceAnswer[],
  run: SplitRun,
  send: (prompts: readonly string[]) => Promise<readonly PieceAnswer[]>,
): Promise<string> {
  const texts = answers.map(({ content }, index) => ({ name: `answer ${index + 1}`, content }));
  const groups = packTexts(texts, run.room.budget).map((one) => combinePrompt(run.prompt, one));
  const [first] = groups;
  if (first !== undefined && groups.length === 1) return first;
  if (groups.length < texts.length) return combineAnswers(await send(groups), run, send);
  throw new Failure('invalid_request', 'the answers for the pieces are too long to be combined', {
    hint: 'set a smaller --max-tokens, or ask for shorter answers',
  });
}

async function sendPieces(run: SplitRun): Promise<void> {
  const { context, options, settings, presentation, prompt, pieces, guard } = run;
  const { notices } = presentation;
  const prompts = pieces.map((piece, index) =>
    piecePrompt(prompt, piece, index + 1, pieces.length),
  );
  const asker = await openAsker(run, { command: 'chat --split' }, { network: undiciNetwork });
  const { model, system = '', save } = settings.values;
  const { state } = resolveFolders(context);
  const folder = state !== undefined && save ? join(state, 'split') : undefined;
  if (folder !== undefined) makePrivateFolder(folder);
  // The same command continues with the same file.
  const kept = openKept(folder && join(folder, `${hashOf(model, system, ...prompts)}.jsonl`));
  const progress = createProgress(run, prompts.length);
  let ended = 0;
  const reported = new Set<string>();
  const warn = (text: string) => {
    if (reported.has(text)) return;
    reported.add(text);
    progress.clear();
    notices.warning(text);
  };
  const compose = async (text: string) => promptMessages(settings.values.system, text);
  /** An answer that was cut is asked for once more; `--strict` refuses one for a cut prompt. */
  const askPiece = async (text: string): Promise<Answer> => {
    // The answers for pieces are sent again, so their secrets are not put back.
    const ask = () => asker.ask(() => compose(text), warn);
    const first = await ask();
    const isCut = first.failure?.kind === 'incomplete' && !first.isStopped;
    const answer = isCut ? await ask() : first;
    ended += 1;
    progress.show(ended);
    const { metadata, failure } = answer;
    const warning = truncationWarning(metadata);
    if (warning === undefined) return answer;
    warn(warning);
    const isStrict = options.strict === true;
    return { ...answer, failure: failure ?? (isStrict ? truncationFailure(metadata) : undefined) };
  };
  try {
    if (kept.saved() > 0) {
      notices.notice(`continuing: ${count(kept.saved())} answers are from an earlier run`);
    }
    progress.show(ended);
    const send = (next: readonly string[]) => askPieces(next, kept, context.signal, askPiece);
    const answers = await send(prompts);
    const last = await combineAnswers(answers, run, send);
    progress.end();
    const answered = answers.map(({ content, usage }, index) => {
      const names = pieces[index]?.texts.map(({ name }) => name);
      return { piece: index + 1, names, content, usage };
    });
    const printing = { ...run, jsonFields: () => ({ pieces: answered }) };
    const printer = await createAnswerPrinter(printing, settings, model);
    const answer = await asker.ask(() => compose(last), warn, guard, printer);
    const { content, metadata, failure } = answer;
    // The text is cut again.
    if (failure !== undefined && content === '' && isTooLong(failure)) throw failure;
    await printer.end(answer);
    context.signal.throwIfAborted();
    if (failure !== undefined) throw failure;
    const notice = finishNotice(metadata);
    if (notice !== undefined) notices.notice(notice);
    kept.remove();
  } catch (error) {
    progress.end();
    // Pieces that are too long are not sent again.
    if (error instanceof Failure && isTooLong(error)) kept.remove();
    if (context.signal.aborted && kept.saved() > 0) {
      const text = `${countOf(kept.saved(), 'answer')} kept`;
      notices.notice(`${text}; run the same command again to send the rest`);
    }
    throw error;
  } finally {
    await asker.close();
  }
}

/**
 * Cuts the text into smaller pieces while the service refuses what `send` sends for its length: for the window which the
 * service named, else for half of it.
 * @throws Failure `invalid_request` if the prompt leaves no room in that window
 */
async function sendFitting(run: SplitRun, send = sendPieces): Promise<void> {
  try {
    await send(run);
  } catch (error) {
    if (!(error instanceof Failure) || !isTooLong(error)) throw error;
    const { settings, prompt, room } = run;
    let next = { ...room, budget: Math.floor(room.budget / 2) };
    const window = refusedWindow(error.cause ?? error, room.budget);
    if (window !== undefined) {
      const windows = new Map(settings.windows).set(settings.values.model, window);
      const named = roomFor({ ...settings, windows }, longestPrompt(prompt));
      if (named.budget < room.budget) next = named;
    }
    if (next.budget < leastBudget) throw error;
    const { pieces } = run.planFor(next.budget);
    run.presentation.notices.warning(
      `the text is too long for the service; cutting it into ${count(pieces.length)} smaller pieces`,
    );
    await sendFitting({ ...run, room: next, pieces });
  }
}

/** Sends a text that does not fit in pieces, and combines the answers. */
export const runSplit: ChatAction = async (started, words) => {
  const { context, options } = started;
  const prompt = promptOf(words);
  if (prompt === '') throw new Failure('usage', '--split needs a prompt', { hint: example });
  if (hasInputPlaceholder(prompt) || hasInputPlaceholder(options.system)) {
    const text = '--split puts the pieces after the prompt, not in place of {{stdin}}';
    throw new Failure('usage', text, { hint: 'remove {{stdin}}' });
  }
  const prepared = prepare(started);
  refuseClosedOutput(context.streams.stdout, false);
  const chatRun = { ...prepared, guard: openSecretGuard(prepared) };
  const { presentation, settings: own } = chatRun;
  const { files, input = '' } = await readSources(chatRun, words, { hasPrompt: true });
  const texts = input === '' ? files : [...files, { name: inputName, content: input }];
  if (texts.length === 0) {
    const text = '--split needs a text: a file, a folder or standard input';
    throw new Failure('usage', text, { hint: example });
  }
  const whole = composePrompt({ prompt, files, input });
  const { system, maxTokens, model } = own.values;
  const tokens = estimateMessages(promptMessages(system, whole)) + (maxTokens ?? 0);
  const chosen = model === 'auto' ? smallestModelFor(tokens, own.windows) : model;
  const settings = withValues(own, { model: chosen });
  const room = roomFor(settings, longestPrompt(prompt));
  const fits = contextFit(chosen, tokens, settings.windows).state !== 'over';
  const border = options.split === 'lines' ? 'lines' : 'paragraphs';
  const planFor = (budget: number) => planPieces(texts, border, budget);
  const { pieces, longLines } = planFor(room.budget);
  const run = { ...chatRun, settings, prompt, room, pieces, planFor };
  if (pieces.length === 1 || (fits && options.split === 'auto')) {
    const budget = tokensOf(pieces);
    const canCut = budget >= 2 * leastBudget;
    return sendFitting({ ...run, room: { ...room, budget } }, () =>
      sendPrompt({ ...chatRun, settings, cutsRefused: canCut }, whole),
    );
  }
  const { notices } = presentation;
  notices.notice(`${count(pieces.length)} pieces, ${tokenText(tokensOf(pieces), true)}`);
  if (longLines > 0) {
    notices.notice(`lines longer than a piece were cut between characters: ${count(longLines)}`);
  }
  return options.dryRun === true ? printPlan(run) : sendFitting(run);
};
