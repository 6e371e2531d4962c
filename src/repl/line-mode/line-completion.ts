import { Failure } from '../../failure.ts';
import { pairsIn } from '../../terminal/text/pairs.ts';
import {
  applyCandidate,
  extendTyped,
  labelOf,
  matchCandidates,
  type Candidate,
  type CompletionRequest,
} from '../composer/completion.ts';
import type { TextBuffer } from '../composer/text-buffer.ts';
import { findFiles } from '../files/user-files.ts';
import { candidatesFor, mentionAt, requestAt } from '../menu.ts';
import type { Repl } from '../session.ts';
import type { ReplState } from '../state.ts';

/** More choices than this are not all read. */
const maxChoices = 12;

/** The line after Tab, and what to say about it. */
export interface LineCompletion {
  readonly buffer: TextBuffer;
  /** Absent if the new text says it. */
  readonly words?: string;
  /** The line with each choice, of which further Tabs take one after the other, and the place of the present one. */
  readonly choices?: { readonly lines: readonly TextBuffer[]; readonly index: number };
}

function choiceWords(request: CompletionRequest, candidates: readonly Candidate[]): string {
  const { length } = candidates;
  const names = candidates.slice(0, maxChoices).map((candidate) => labelOf(request, candidate));
  const part = length > maxChoices ? `, the first ${maxChoices}` : '';
  return `${length} choices${part}: ${names.join(', ')}; Tab takes the first`;
}

const kindNames = pairsIn('command command argument choice path file mention file');

/** The candidates whose names begin with the typed text, else those that match otherwise. */
function namedCandidates(repl: Repl, state: ReplState, request: CompletionRequest) {
  const matching = matchCandidates(request, candidatesFor(repl, state, request));
  const typed = request.typed.toLowerCase();
  const starting = matching.filter(({ value }) => value.toLowerCase().startsWith(typed));
  return starting.length > 0 ? starting : matching;
}

/**
 * Completes the word at the cursor with the only candidate, or lists the choices in words. After a completion with
 * choices, takes the next one, after the last one the first.
 */
export async function completeLine(
  repl: Repl,
  state: ReplState,
  buffer: TextBuffer,
  last?: LineCompletion,
): Promise<LineCompletion> {
  if (last?.choices !== undefined && last.buffer === buffer) {
    const { lines } = last.choices;
    const index = (last.choices.index + 1) % lines.length;
    const words = `choice ${index + 1} of ${lines.length}; Tab takes the next`;
    return { buffer: lines[index] ?? buffer, words, choices: { lines, index } };
  }
  const mention = mentionAt(buffer);
  const request = mention ?? requestAt(buffer);
  if (request === undefined) {
    return { buffer, words: 'Tab completes commands, their arguments, and files after @' };
  }
  try {
    const files = mention && (await findFiles(repl.files, mention));
    const candidates = files?.candidates ?? namedCandidates(repl, state, request);
    const lines = candidates.map((candidate) => applyCandidate(buffer, request, candidate));
    const [only = buffer] = lines;
    if (lines.length === 0) {
      return { buffer, words: `no ${kindNames.get(request.kind)} contains "${request.typed}"` };
    }
    if (lines.length === 1) return { buffer: only };
    const extended = extendTyped(buffer, request, candidates);
    const choices = { lines, index: -1 };
    return { buffer: extended, words: choiceWords(request, candidates), choices };
  } catch (error) {
    if (error instanceof Failure) return { buffer, words: error.message };
    throw error;
  }
}
