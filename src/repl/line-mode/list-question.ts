import { searchTerms } from '../../conversation/library/search.ts';
import { count, countOf, timeAgo } from '../../output/figures.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import {
  openListed,
  closeList,
  isComplete,
  marksOf,
  type Match,
  matchesOf,
  settle,
  totalOf,
} from '../conversation-list/list.ts';
import type { OpenList, ReplState, Step } from '../state.ts';
import { refuse, step } from '../step.ts';

// The list in line mode: numbered conversations, and a question.

/** Conversations that are read aloud at once. */
const pageRows = 10;

function lineOf({ row, excerpt }: Match, number: number, list: OpenList, current: string): string {
  const parts = [
    row.title || row.entry.id,
    ...(excerpt === undefined ? [] : [`"${excerpt.trim()}"`]),
    row.model ?? 'no answer',
    timeAgo(row.entry.changedAt, list.openedAt),
    ...marksOf(row, current).map(({ spoken }) => spoken),
  ];
  return `${number} ${sanitizeLine(parts.join(', '))}\n`;
}

function headOf(list: OpenList, found: number): string {
  const terms = searchTerms(sanitizeLine(list.query)).map((term) => `"${term}"`);
  const first = list.entries[0]?.isPinned === true ? 'pinned ones' : 'newest';
  if (terms.length === 0) return `${countOf(totalOf(list), 'conversation')}, ${first} first.`;
  const total = `${count(found)}${isComplete(list) ? '' : ' or more'}`;
  return `${total} with ${terms.join(' and ')} in the ${list.searchesTexts ? 'text' : 'title'}.`;
}

/** The numbered conversations and the question; undefined while they are read. */
export function questionOf(state: ReplState, list: OpenList): string | undefined {
  if (list.isReading) return undefined;
  const matches = matchesOf(list);
  const shown = matches.slice(list.selected, list.selected + pageRows);
  const rows = shown.map((match, index) =>
    lineOf(match, list.selected + index + 1, list, state.conversation.id),
  );
  const hasMore = matches.length > list.selected + pageRows;
  const ways = [
    ...(shown.length === 0 ? [] : ['a number opens one']),
    ...(hasMore ? ['plus sign lists more'] : []),
    'words filter the titles',
    'slash and words search the texts',
    list.query === '' ? 'Enter alone returns' : 'Enter alone lists all',
  ];
  return `${headOf(list, matches.length)}\n${rows.join('')}${ways.join(', ')}\nOpen: `;
}

/** A line is the number of a conversation, words to filter by, or a slash and words to search for; empty, it ends that. */
export function answerQuestion(state: ReplState, list: OpenList, text: string): Step {
  const answer = text.trim();
  if (answer === '' && list.query === '') return step(closeList(state));
  if (answer === '+') {
    const selected = list.selected + pageRows;
    if (selected < matchesOf(list).length) return settle(state, { ...list, selected });
    return refuse(state, 'there are no more conversations');
  }
  if (/^\d+$/.test(answer)) {
    const match = matchesOf(list)[Number(answer) - 1];
    if (match !== undefined) return openListed(state, list, match.row);
    return refuse(state, `there is no conversation ${answer} in the list`);
  }
  const searchesTexts = answer.startsWith('/');
  const query = searchesTexts ? answer.slice(1).trim() : answer;
  if (query === '' && searchesTexts) return step(state);
  return settle(state, { ...list, query, searchesTexts, excerpts: [], selected: 0 });
}
