import { undiciNetwork } from '../../client/http/undici-network.ts';
import {
  type AttachedFile,
  composePrompt,
  hasInputPlaceholder,
} from '../../conversation/compose-prompt.ts';
import { contextFit, smallestModelFor } from '../../conversation/context-fit.ts';
import { estimateMessages } from '../../conversation/token-estimate.ts';
import { Failure } from '../../failure.ts';
import { count, tokenText } from '../../output/figures.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { printJson } from '../print/print-data.ts';
import type { Context } from '../program/context.ts';
import { promptMessages } from '../prompt/chat-request.ts';
import { openSecretGuard, type SecretGuard } from '../prompt/guard/secret-guard.ts';
import { inputName, inputWord, type PromptSources, readSources } from '../prompt/read-prompt.ts';
import { isTooLong } from '../service/fallback.ts';
import { readRequestSettings } from '../service/settings-access.ts';
import { openService } from '../service/service.ts';
import { openPromptSender } from './prompt-sender.ts';
import { type ChatOptions, type Preparation, prepare, sendPrompt } from './run.ts';
import {
  combinePrompt,
  combineRequests,
  leastBudget,
  longestPrompt,
  packTexts,
  type Piece,
  piecePrompt,
  planPieces,
  roomFor,
} from './split/plan-pieces.ts';
import { printFinalAnswer, type SplitRun } from './split/final-answer.ts';
import { openPieceSender, type PieceAnswer, type PieceSender } from './split/send-pieces.ts';

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
      hint: 'for example: natter --split auto -f book.txt "sum up"',
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
  { context, options, presentation }: Preparation,
  words: readonly string[],
  guard: SecretGuard | undefined,
): Promise<PromptSources> {
  const names = (options.file ?? []).filter((name) => name !== inputWord);
  const required = words.includes(inputWord) || options.file?.includes(inputWord) === true;
  const request = { names, required, hasPrompt: true, guard };
  const sources = await readSources(context, presentation.notices, request, options);
  if (sources.files.length > 0 || (sources.input ?? '') !== '') return sources;
  throw new Failure('usage', '--split needs a text: a file, a folder or standard input', {
    hint: 'for example: natter --split auto -f book.txt "sum up"',
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

/** Answers of pieces, combined until they fit in one request. @throws Failure if they never do */
async function combine(
  { prompt, room }: SplitRun,
  sender: PieceSender,
  answers: readonly PieceAnswer[],
): Promise<Piece> {
  let texts = answers.map(({ content }, index) => ({ name: `answer ${index + 1}`, content }));
  for (;;) {
    const groups = packTexts(texts, room.budget);
    const [first] = groups;
    if (first !== undefined && groups.length === 1) return first;
    if (groups.length === texts.length) {
      throw new Failure(
        'invalid_request',
        'the answers for the pieces are too long to be combined',
        {
          hint: 'set a smaller --max-tokens, or ask for shorter answers',
        },
      );
    }
    const combined = await sender.send(groups.map((group) => combinePrompt(prompt, group)));
    texts = combined.map(({ content }, index) => ({ name: `answer ${index + 1}`, content }));
  }
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

async function sendPieces(run: SplitRun): Promise<void> {
  const { context, options, presentation, settings, prompt, pieces } = run;
  const source = { command: 'chat --split' };
  const network = { network: undiciNetwork };
  const service = await openService(context, presentation, options, settings, source, network);
  const prompts = pieces.map((piece, index) =>
    piecePrompt(prompt, piece, index + 1, pieces.length),
  );
  const { stream } = options;
  const isQuiet = options.quiet === true;
  const identity = [settings.values.model, settings.values.system ?? '', ...prompts];
  const isStrict = options.strict === true;
  const how = { stream, isQuiet, isStrict };
  const sending = { context, options, presentation, settings, service, ...how, identity };
  const last = openPromptSender({ context, options, presentation, settings, service });
  try {
    const sender = await openPieceSender(sending);
    let isComplete = false;
    try {
      if (sender.already > 0) {
        presentation.notices.notice(
          `continuing: ${count(sender.already)} answers are from an earlier run`,
        );
      }
      const answers = await sender.send(prompts);
      const combined = await combine(run, sender, answers);
      await printFinalAnswer(run, service, last, combined, answers);
      isComplete = true;
    } catch (error) {
      // These pieces are not sent again.
      isComplete = error instanceof Failure && isTooLong(error);
      throw error;
    } finally {
      await sender.close(isComplete);
    }
  } finally {
    await last.close();
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
  const preparation = await prepare(context, options);
  const { notices } = preparation.presentation;
  const own = readRequestSettings(context, notices, options);
  const guard = await openSecretGuard(context, options, own);
  const sources = await readTexts(preparation, words, guard);
  const whole = composePrompt({ prompt, ...sources });
  const { system, maxTokens } = own.values;
  const messages = promptMessages(system, whole);
  const tokensOfAll = estimateMessages(messages) + (maxTokens ?? 0);
  const settings = withModel(own, tokensOfAll);
  const { model } = settings.values;
  const { windows } = settings;
  const room = roomFor({ model, windows, maxTokens, system, prompt: longestPrompt(prompt) });
  const fits = contextFit(model, tokensOfAll, windows).state !== 'over';
  const border = options.split === 'lines' ? 'lines' : 'paragraphs';
  const planFor = (budget: number) => planPieces(textsOf(sources), border, budget);
  const { pieces, longLines } = planFor(room.budget);
  if (pieces.length === 1 || (fits && options.split === 'auto')) {
    return sendPrompt({ ...preparation, guard }, settings, whole);
  }
  notices.notice(`${count(pieces.length)} pieces, ${tokenText(tokensOf(pieces), true)}`);
  if (longLines > 0) {
    notices.notice(`lines longer than a piece were cut between characters: ${count(longLines)}`);
  }
  const run = { ...preparation, settings, guard, prompt, room, pieces, planFor };
  return options.dryRun === true ? printPlan(run) : sendFitting(run);
}
