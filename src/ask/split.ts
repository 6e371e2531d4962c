// A long text in pieces: how it is cut, and the prompts for the pieces and for their answers.
import { type AttachedFile, composePrompt } from '../conversation/compose-prompt.ts';
import { contextWindow } from '../conversation/context-fit.ts';
import { estimateMessages, estimateTokens } from '../conversation/token-estimate.ts';
import { Failure } from '../failure.ts';
import type { ResolvedSettings } from '../settings/resolved-settings.ts';
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
export type Piece = ReturnType<typeof packTexts>[number];

const assumedWindow = 8192;
const largestAnswer = 4096;
/** Estimates may be wrong by a tenth. */
const usableShare = 0.9;
/** Tokens of the tags around a text. */
const blockTokens = 16;
/** Tokens of the smallest pieces. */
export const leastBudget = 64;

export type Room = ReturnType<typeof roomFor>;

/**
 * Divides the window of the model.
 * @param prompt with everything that is in each request besides the texts
 * @returns the tokens that one request has for texts, and those that are kept free for its answer
 * @throws Failure `invalid_request` if the prompt leaves no room
 */
export function roomFor({ values, windows }: ResolvedSettings, prompt: string) {
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

/** Groups texts in as few pieces as possible. */
export function packTexts(texts: readonly AttachedFile[], budget: number) {
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
) {
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

/** What is in each request besides the texts, with the longest note. */
export const longestPrompt = (prompt: string): string =>
  `${prompt}\n\n${combineNote}\n\n${pieceNote('000000', '000000')}`;

/** The prompt for one piece tells the model that the text is longer. */
export function piecePrompt(prompt: string, { texts }: Piece, number: number, total: number) {
  return composePrompt({ prompt: `${prompt}\n\n${pieceNote(number, total)}`, files: texts });
}

/** The prompt for the answers to pieces. */
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
