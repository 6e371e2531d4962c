import { Failure } from '../../failure.ts';
import { pairsIn } from '../../terminal/text/pairs.ts';
import {
  applyCandidate,
  extendTyped,
  folderOf,
  matchCandidates,
  type Candidate,
  type CompletionRequest,
} from '../composer/completion.ts';
import type { TextBuffer } from '../composer/text-buffer.ts';
import { findFiles } from '../files/find-paths.ts';
import { candidatesFor, mentionAt, requestAt } from '../menu.ts';
import type { Repl } from '../session.ts';
import type { ReplState } from '../state.ts';

/** More choices than this are not all read. */
const maxChoices = 12;

/** The choices of a line, which further Tabs take one after the other. */
export interface LineChoices {
  /** The line that was completed. */
  readonly before: TextBuffer;
  readonly request: CompletionRequest;
  /** There are at least two. */
  readonly candidates: readonly Candidate[];
  /** The place of the choice on the line; -1 before the first. */
  readonly index: number;
}

/** The line after Tab, and what to say about it; without words, the new text says it. */
export interface LineCompletion {
  readonly buffer: TextBuffer;
  readonly words: string | undefined;
  readonly choices?: LineChoices;
}

function nameOf(request: CompletionRequest, { value, isFolder }: Candidate): string {
  if (request.kind === 'command') return `/${value}`;
  const name = request.kind === 'path' ? value.slice(folderOf(request).length) : value;
  return isFolder === true ? `${name}/` : name;
}

function choiceWords(request: CompletionRequest, candidates: readonly Candidate[]): string {
  const { length } = candidates;
  const names = candidates.slice(0, maxChoices).map((candidate) => nameOf(request, candidate));
  const part = length > maxChoices ? `, the first ${maxChoices}` : '';
  return `${length} choices${part}: ${names.join(', ')}; Tab takes the first`;
}

const kindNames = pairsIn('command command argument choice path file mention file');

/** The candidates whose names begin with the typed text, else those that match otherwise. */
function namedCandidates(
  repl: Repl,
  state: ReplState,
  request: CompletionRequest,
): readonly Candidate[] {
  const matching = matchCandidates(request, candidatesFor(repl, state, request));
  const typed = request.typed.toLowerCase();
  const starting = matching.filter(({ value }) => value.toLowerCase().startsWith(typed));
  return starting.length > 0 ? starting : matching;
}

/** Completes the word at the cursor, or lists the choices in words. */
export async function completeLine(
  repl: Repl,
  state: ReplState,
  buffer: TextBuffer,
): Promise<LineCompletion> {
  const mention = mentionAt(buffer);
  const request = mention ?? requestAt(buffer);
  if (request === undefined) {
    return { buffer, words: 'Tab completes commands, their arguments, and files after @' };
  }
  try {
    const files = mention && (await findFiles(repl.files, mention));
    const candidates = files?.candidates ?? namedCandidates(repl, state, request);
    return offerChoices(buffer, request, candidates);
  } catch (error) {
    if (error instanceof Failure) return { buffer, words: error.message };
    throw error;
  }
}

/** Completes the word with the only candidate, or lists them in words. */
function offerChoices(
  buffer: TextBuffer,
  request: CompletionRequest,
  candidates: readonly Candidate[],
): LineCompletion {
  const [only, second] = candidates;
  if (only === undefined) {
    return { buffer, words: `no ${kindNames.get(request.kind)} contains "${request.typed}"` };
  }
  if (second === undefined) {
    return { buffer: applyCandidate(buffer, request, only), words: undefined };
  }
  const extended = extendTyped(buffer, request, candidates);
  const choices = { before: buffer, request, candidates, index: -1 };
  return { buffer: extended, words: choiceWords(request, candidates), choices };
}

/** Takes the next choice, after the last one the first. */
export function takeNext(choices: LineChoices): LineCompletion {
  const { before, request, candidates } = choices;
  const index = (choices.index + 1) % candidates.length;
  const candidate = candidates[index];
  const buffer = candidate === undefined ? before : applyCandidate(before, request, candidate);
  const words = `choice ${index + 1} of ${candidates.length}; Tab takes the next`;
  return { buffer, words, choices: { ...choices, index } };
}
