import { Failure } from '../../failure.ts';
import { splitPrompt } from '../compose-prompt.ts';
import { loadConversation } from './read-conversation.ts';

/** The lines of one turn with hits, and the lines around them. */
export type FoundTurn = ReturnType<typeof searchConversation>[number];
export type FoundLine = FoundTurn['lines'][number];

/**
 * Makes patterns of literal texts, or of regular expressions; case is ignored unless it is asked for.
 * @throws Failure `usage` for an invalid regular expression or an empty text
 */
export const compilePatterns = (
  texts: readonly string[],
  { regularExpression = false, caseSensitive = false } = {},
): readonly RegExp[] =>
  texts.map((text) => {
    if (text === '') throw new Failure('usage', 'the search text is empty');
    const literal = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
    try {
      return new RegExp(regularExpression ? text : literal, caseSensitive ? 'gmu' : 'gimu');
    } catch (error) {
      const hint = error instanceof Error ? error.message : undefined;
      throw new Failure('usage', `"${text}" is not a regular expression`, { hint, cause: error });
    }
  });

type Mark = readonly [start: number, end: number];

/** The lines with a hit, and `context` lines around each. */
function excerpt(text: string, marks: readonly Mark[], context: number) {
  let start = 0;
  let next = 0;
  const all = text.split('\n').map((line, index) => {
    const end = start + line.length;
    const within: Mark[] = [];
    for (; next < marks.length; next += 1) {
      const [from, to] = marks[next] ?? [Infinity, Infinity];
      if (from > end) break;
      within.push([Math.max(from, start) - start, Math.min(to, end) - start]);
      // It continues in the next line.
      if (to > end + 1) break;
    }
    start = end + 1;
    return {
      /** Counts from 1. */
      number: index + 1,
      text: line,
      /** The hits in the line, as UTF-16 offsets. */
      marks: within,
    };
  });
  const near = (index: number) =>
    all
      .slice(Math.max(0, index - context), index + context + 1)
      .some((line) => line.marks.length > 0);
  return all.filter((_line, index) => near(index));
}

/**
 * Searches one conversation, in all versions of its turns. Nothing is found unless each term occurs. Turns with hits
 * only in attached files come last.
 * @throws Failure `storage` if the file cannot be read
 */
export function searchConversation(path: string, terms: readonly RegExp[], context: number) {
  const { turns, summaries } = loadConversation(path, '').fold.conversation();
  const texts = Array.from(turns.values()).flatMap(({ id, role, content, refusal = '' }) => [
    { turn: id, role, text: content },
    { turn: id, role, text: refusal },
    // The summary replaces the conversation up to the turn.
    { turn: id, role: 'summary' as const, text: summaries?.get(id)?.content ?? '' },
  ]);
  const occurs = (term: RegExp) => texts.some(({ text }) => text.search(term) !== -1);
  if (!terms.every(occurs)) return [];
  // The longest first: `tea` would hide `teapot`.
  const sources = terms.map(({ source }) => source).toSorted((a, b) => b.length - a.length);
  const any = new RegExp(sources.join('|'), terms[0]?.flags ?? 'gu');
  const found = texts.flatMap(({ turn, role, text }) => {
    const all = Array.from(text.matchAll(any), ({ 0: hit, index }): Mark => {
      return [index, index + hit.length];
    });
    const marks = all.filter(([start, end]) => end > start);
    const [first] = marks;
    if (first === undefined) return [];
    // The files follow the text of a prompt.
    const isInFile = role === 'user' && first[0] >= splitPrompt(text).prompt.length;
    return [{ isInFile, turn, role, hits: marks.length, lines: excerpt(text, marks, context) }];
  });
  return found.toSorted((one, other) => Number(one.isInFile) - Number(other.isInFile));
}

/** The words of a search, each of which must occur, and its phrases in double quotes. An open quote ends with the text. */
export function searchTerms(query: string): readonly string[] {
  return [...query.matchAll(/"([^"]*)(?:"|$)|[^\s"]+/g)]
    .map(([word, phrase]) => (phrase ?? word).trim())
    .filter((term) => term !== '');
}
