import { type Border, cutText } from '../../../attachments/cut-text.ts';
import { type AttachedFile, composePrompt } from '../../../conversation/compose-prompt.ts';
import { contextWindow, type ModelWindows } from '../../../conversation/context-fit.ts';
import { estimateMessages, estimateTokens } from '../../../conversation/token-estimate.ts';
import { Failure } from '../../../failure.ts';
import { promptMessages } from '../../prompt/chat-request.ts';

/** What one request has of the texts. */
export interface Piece {
  readonly texts: readonly AttachedFile[];
  /** Estimated. */
  readonly tokens: number;
}

/** Of a model whose window is unknown. */
const assumedWindow = 8192;
const largestAnswer = 4096;
/** Estimates may be wrong by a tenth. */
const usableShare = 0.9;
/** Tokens of the tags around a text. */
const blockTokens = 16;
/** Tokens of the smallest pieces. */
export const leastBudget = 64;

export interface Room {
  /** Tokens of texts in one request. */
  readonly budget: number;
  /** Tokens kept free for the answer. */
  readonly answer: number;
}

interface RoomRequest {
  readonly model: string;
  readonly windows: ModelWindows | undefined;
  readonly maxTokens: number | undefined;
  readonly system: string | undefined;
  /** With everything that is in each request besides the texts. */
  readonly prompt: string;
}

/** @throws Failure `invalid_request` if the prompt leaves no room */
export function roomFor({ model, windows, maxTokens, system, prompt }: RoomRequest): Room {
  const window = contextWindow(model, windows) ?? assumedWindow;
  const answer = maxTokens ?? Math.min(largestAnswer, Math.floor(window / 4));
  const overhead = estimateMessages(promptMessages(system, prompt));
  const budget = Math.floor(window * usableShare) - overhead - answer;
  if (budget >= leastBudget) return { budget, answer };
  throw new Failure(
    'invalid_request',
    `the prompt and the answer leave no room for the text in ${model}'s window`,
    {
      hint: 'shorten the prompt, set a smaller --max-tokens, or choose a model with a larger window',
    },
  );
}

const sizeOf = ({ name, content }: AttachedFile) =>
  estimateTokens(content) + estimateTokens(name) + blockTokens;

/** Texts that follow one another, as few groups as fit. */
export function packTexts(texts: readonly AttachedFile[], budget: number): readonly Piece[] {
  const pieces: { texts: AttachedFile[]; tokens: number }[] = [];
  for (const text of texts) {
    const size = sizeOf(text);
    const last = pieces.at(-1);
    if (last === undefined || last.tokens + size > budget) {
      pieces.push({ texts: [text], tokens: size });
    } else {
      last.texts.push(text);
      last.tokens += size;
    }
  }
  return pieces;
}

export interface PlannedPieces {
  readonly pieces: readonly Piece[];
  readonly longLines: number;
}

/** Cuts the texts, and groups what fits in one request. */
export function planPieces(
  texts: readonly AttachedFile[],
  border: Border,
  budget: number,
): PlannedPieces {
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

export function piecePrompt(prompt: string, { texts }: Piece, number: number, total: number) {
  return composePrompt({ prompt: `${prompt}\n\n${pieceNote(number, total)}`, files: texts });
}

export function combinePrompt(prompt: string, { texts }: Piece): string {
  return composePrompt({ prompt: `${prompt}\n\n${combineNote}`, files: texts });
}

/** Requests that combine the answers, if each is as long as it may be. */
export function combineRequests(pieces: number, { budget, answer }: Room): number {
  const each = Math.max(2, Math.floor(budget / (answer + 2 * blockTokens)));
  let requests = 0;
  for (let left = pieces; left > 1; left = Math.ceil(left / each)) {
    requests += Math.ceil(left / each);
  }
  return requests;
}
