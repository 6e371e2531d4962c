// A long text in pieces: how it is cut, how the pieces are sent, and where their answers are kept until all are there.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type AttachedFile, composePrompt } from '../conversation/compose-prompt.ts';
import { contextWindow } from '../conversation/context-fit.ts';
import { estimateMessages, estimateTokens } from '../conversation/token-estimate.ts';
import { Failure } from '../failure.ts';
import { isJsonObject, parseJson } from '../json.ts';
import type { ResolvedSettings } from '../settings/resolved-settings.ts';
import { removeFile } from '../storage/files.ts';
import { readLines } from '../storage/read-lines.ts';
import { appendLine } from '../storage/append-file.ts';
import { storageFailure } from '../storage/storage-failure.ts';
import { type Answer, failureOfSeveral } from './ask.ts';
import { promptMessages } from './plan-request.ts';

/** Where a text is cut: after lines, and after paragraphs with the blank lines after them. */
const borders = { lines: /(?<=\n)/, paragraphs: /(?<=\n[^\S\n]*\n)(?=[^\S\n]*\S)/ };

/** Never divides a surrogate pair. */
function cutLine(line: string, most: number): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < line.length;) {
    let end = at + most * 4;
    if (estimateTokens(line.slice(at, end)) > most) end = at + Math.max(most, 2);
    if (/[\uD800-\uDBFF]/.test(line.charAt(end - 1))) end -= 1;
    parts.push(line.slice(at, end));
    at = end;
  }
  return parts;
}

interface Unit {
  readonly text: string;
  readonly tokens: number;
  /** It is the start of a line that was cut between characters. */
  readonly isCut?: boolean;
}

/** The smallest pieces of the text: paragraphs or lines that fit, else lines of a paragraph, else parts of a line. */
function unitsOf(text: string, border: keyof typeof borders, most: number): readonly Unit[] {
  return text.split(borders[border]).flatMap((piece): readonly Unit[] => {
    const tokens = estimateTokens(piece);
    if (tokens <= most) return [{ text: piece, tokens }];
    if (border === 'paragraphs') return unitsOf(piece, 'lines', most);
    return cutLine(piece, most).map((part, index) => {
      return { text: part, tokens: estimateTokens(part), isCut: index === 0 };
    });
  });
}

/** Groups what follows one another, in as few groups of at most `most` tokens as possible. */
function pack<Item extends { readonly tokens: number }>(items: readonly Item[], most: number) {
  const groups: { readonly items: Item[]; tokens: number }[] = [];
  for (const item of items) {
    let group = groups.at(-1);
    if (group === undefined || group.tokens + item.tokens > most) {
      group = { items: [], tokens: 0 };
      groups.push(group);
    }
    group.items.push(item);
    group.tokens += item.tokens;
  }
  return groups;
}

/**
 * Cuts a text into parts of at most `most` estimated tokens, at borders where that is possible. Joined, they are the
 * text.
 * @returns the parts, and the number of lines longer than a part, which were cut between characters
 */
export function cutText(text: string, border: keyof typeof borders, most: number) {
  const units = unitsOf(text, border, most);
  const parts = pack(units, most).map(({ items }) => items.map((unit) => unit.text).join(''));
  return { parts, longLines: units.filter(({ isCut }) => isCut).length };
}

/** The part of the texts that one request has. */
export interface Piece {
  readonly texts: readonly AttachedFile[];
  /** An estimate. */
  readonly tokens: number;
}

/** The window that is assumed if it is unknown. */
const assumedWindow = 8192;
const largestAnswer = 4096;
/** Estimates may be wrong by a tenth. */
const usableShare = 0.9;
/** Tokens of the tags around a text. */
const blockTokens = 16;
/** Tokens of the smallest pieces. */
export const leastBudget = 64;

/** The tokens that one request has for texts, and those that are kept free for its answer. */
export interface Room {
  readonly budget: number;
  readonly answer: number;
}

/**
 * Divides the window of the model.
 * @param prompt with everything that is in each request besides the texts
 * @throws Failure `invalid_request` if the prompt leaves no room
 */
export function roomFor({ values, windows }: ResolvedSettings, prompt: string): Room {
  const { model, maxTokens, system } = values;
  const window = contextWindow(model, windows) ?? assumedWindow;
  const answer = maxTokens ?? Math.min(largestAnswer, Math.floor(window / 4));
  const overhead = estimateMessages(promptMessages(system, prompt));
  const budget = Math.floor(window * usableShare) - overhead - answer;
  if (budget >= leastBudget) return { budget, answer };
  const text = `the prompt and the answer leave no room for the text in ${model}'s window`;
  const hint =
    'shorten the prompt, set a smaller --max-tokens, or choose a model with a larger window';
  throw new Failure('invalid_request', text, { hint });
}

function packTexts(texts: readonly AttachedFile[], budget: number): readonly Piece[] {
  const sized = texts.map((file) => {
    const tokens = estimateTokens(file.content) + estimateTokens(file.name) + blockTokens;
    return { file, tokens };
  });
  return pack(sized, budget).map(({ items, tokens }) => {
    return { texts: items.map(({ file }) => file), tokens };
  });
}

/** Cuts the texts, and groups what fits in one request. */
export function planPieces(
  texts: readonly AttachedFile[],
  border: keyof typeof borders,
  budget: number,
): { readonly pieces: readonly Piece[]; readonly longLines: number } {
  let longLines = 0;
  const parts = texts.flatMap(({ name, content }): readonly AttachedFile[] => {
    const most = Math.max(1, budget - estimateTokens(name) - 2 * blockTokens);
    const cut = cutText(content, border, most);
    longLines += cut.longLines;
    if (cut.parts.length < 2) return [{ name, content }];
    return cut.parts.map((part, index) => {
      return { name: `${name} (part ${index + 1} of ${cut.parts.length})`, content: part };
    });
  });
  return { pieces: packTexts(parts, budget), longLines };
}

const pieceNote = (number: number | string, total: number | string) =>
  `This is piece ${number} of ${total} of a longer text. Answer for this piece alone; the answers for all pieces are combined afterwards.`;

const combineNote =
  'The text was too long for one request. These are the answers for its pieces, in order. Combine them into one answer, and drop nothing that the answer needs.';

/** Returns what is in each request besides the texts, with the longest note. */
export const longestPrompt = (prompt: string): string =>
  `${prompt}\n\n${combineNote}\n\n${pieceNote('000000', '000000')}`;

/** Makes the prompt for one piece, which tells the model that the text is longer. */
export function piecePrompt(prompt: string, { texts }: Piece, number: number, total: number) {
  return composePrompt({ prompt: `${prompt}\n\n${pieceNote(number, total)}`, files: texts });
}

/** Makes the prompt for the answers to pieces. */
export function combinePrompt(prompt: string, { texts }: Piece): string {
  return composePrompt({ prompt: `${prompt}\n\n${combineNote}`, files: texts });
}

/** Counts the requests that combine the answers, if each answer is as long as it may be. */
export function combineRequests(pieces: number, { budget, answer }: Room): number {
  const each = Math.max(2, Math.floor(budget / (answer + 2 * blockTokens)));
  let requests = 0;
  for (let left = pieces; left > 1; left = Math.ceil(left / each)) {
    requests += Math.ceil(left / each);
  }
  return requests;
}

/** The answer for one piece. */
export interface PieceAnswer {
  readonly content: string;
  readonly usage: unknown;
}

/** Makes a hash that is short enough for the name of a file. */
export const hashOf = (...texts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32);

/**
 * Opens the answers for prompts, in memory and in a file, so that the same command does not ask again.
 * @param file undefined if nothing is saved
 * @throws Failure `storage`
 */
export function openKeptAnswers(file: string | undefined) {
  const answers = new Map<string, PieceAnswer>();
  try {
    for (const line of file !== undefined && existsSync(file) ? readLines(file) : []) {
      const value = parseJson(line);
      // The last line may have been cut.
      const { prompt, content, usage } = isJsonObject(value) ? value : {};
      if (typeof prompt === 'string' && typeof content === 'string') {
        answers.set(prompt, { content, usage });
      }
    }
  } catch (error) {
    throw storageFailure('read', file ?? '', error);
  }
  return {
    /** The number of answers that are in the file. */
    saved: () => (file === undefined ? 0 : answers.size),
    find: (prompt: string) => answers.get(hashOf(prompt)),
    keep(prompt: string, { content, metadata }: Answer): void {
      const answer = { content, usage: metadata.usage ?? null };
      const hash = hashOf(prompt);
      answers.set(hash, answer);
      if (file !== undefined) appendLine(file, JSON.stringify({ prompt: hash, ...answer }));
    },
    remove(): void {
      if (file !== undefined) removeFile(file);
    },
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
  kept: ReturnType<typeof openKeptAnswers>,
  signal: AbortSignal,
  send: (prompt: string) => Promise<Answer>,
): Promise<readonly PieceAnswer[]> {
  const failures: Failure[] = [];
  let inRow = 0;
  const waiting = prompts.filter((prompt) => kept.find(prompt) === undefined);
  /** Sends one prompt after the other. Several calls run at the same time; when one of them ends, no more is sent. */
  const sendWaiting = async (): Promise<void> => {
    try {
      for (let prompt = waiting.shift(); prompt !== undefined; prompt = waiting.shift()) {
        const answer = await send(prompt);
        const { failure, isStopped } = answer;
        if (isStopped) return;
        inRow = failure === undefined ? 0 : inRow + 1;
        if (failure === undefined) kept.keep(prompt, answer);
        else if (failure.kind === 'budget') throw failure;
        else failures.push(failure);
        if (inRow >= mostFailures || failure?.kind === 'unauthorized') return;
      }
    } finally {
      waiting.length = 0;
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
export async function combineAnswers(
  answers: readonly PieceAnswer[],
  prompt: string,
  { budget }: Room,
  send: (prompts: readonly string[]) => Promise<readonly PieceAnswer[]>,
): Promise<Piece> {
  for (let combined = answers; ;) {
    const texts = combined.map(({ content }, index) => ({ name: `answer ${index + 1}`, content }));
    const groups = packTexts(texts, budget);
    const [first] = groups;
    if (first !== undefined && groups.length === 1) return first;
    if (groups.length === texts.length) {
      const text = 'the answers for the pieces are too long to be combined';
      const hint = 'set a smaller --max-tokens, or ask for shorter answers';
      throw new Failure('invalid_request', text, { hint });
    }
    combined = await send(groups.map((group) => combinePrompt(prompt, group)));
  }
}
