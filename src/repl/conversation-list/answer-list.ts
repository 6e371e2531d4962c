import { searchTerms } from '../../conversation/library/search.ts';
import { count, countOf, timeAgo } from '../../output/figures.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { graphemes } from '../../terminal/text/width.ts';
import type { KeyAction } from '../composer/keys/key-bindings.ts';
import { resume } from '../conversations/conversations.ts';
import type { ListedConversation, OpenList, ReplState, Step } from '../state.ts';
import { quit, refuse, startActivity, step, task } from '../step.ts';
import { budgetOf, closeList, isComplete, type Match, matchesOf, settle, totalOf } from './list.ts';

/** Rows of a page of the list, in a window of that many rows. */
const listRowsOf = (windowRows: number) => Math.max(1, budgetOf(windowRows).listed);

function openListed(state: ReplState, list: OpenList, { entry }: ListedConversation): Step {
  const wanted = task(resume, { name: entry.id, ...list.options, from: list });
  return startActivity(closeList(state), 'opening a conversation', wanted);
}

function openSelected(state: ReplState, list: OpenList): Step {
  const match = matchesOf(list)[list.selected];
  return match === undefined ? step(state) : openListed(state, list, match.row);
}

function withQuery(state: ReplState, list: OpenList, query: string): Step {
  if (query === list.query) return step(state);
  return settle(state, { ...list, query, excerpts: [], selected: 0 });
}

const move = (state: ReplState, list: OpenList, by: number) =>
  settle(state, { ...list, selected: Math.max(0, list.selected + by) });

const shortened = (query: string) => [...graphemes(query)].slice(0, -1).join('');

const actions: Partial<Record<KeyAction, (state: ReplState, list: OpenList) => Step>> = {
  'list-open': openSelected,
  'list-close': (state) => step(closeList(state)),
  interrupt: (state) => step(closeList(state)),
  'list-quit': (state, list) => (list.query === '' ? quit(state) : step(state)),
  'list-search': (state, list) =>
    settle(state, { ...list, searchesTexts: !list.searchesTexts, excerpts: [], selected: 0 }),
  'list-previous': (state, list) => move(state, list, -1),
  'list-next': (state, list) => move(state, list, 1),
  'list-page-up': (state, list) => move(state, list, -listRowsOf(state.rows)),
  'list-page-down': (state, list) => move(state, list, listRowsOf(state.rows)),
  'list-first': (state, list) => settle(state, { ...list, selected: 0 }),
  'list-last': (state, list) => settle(state, list, true),
  'list-shorten': (state, list) => withQuery(state, list, shortened(list.query)),
  'list-shorten-word': (state, list) => withQuery(state, list, list.query.replace(/\S*\s*$/, '')),
  'list-clear': (state, list) => withQuery(state, list, ''),
};

export function onListAction(state: ReplState, list: OpenList, action: KeyAction): Step {
  return actions[action]?.(state, list) ?? step(state);
}

/** Typed or pasted text extends the query. */
export function onListText(state: ReplState, list: OpenList, text: string): Step {
  return withQuery(state, list, (list.query + text.replaceAll(/\s+/g, ' ')).slice(0, maxQuery));
}

/** UTF-16 units; a longer paste is cut. */
const maxQuery = 200;

// The list in line mode: numbered conversations, and a question.

/** Conversations that are read aloud at once. */
const pageRows = 10;

function lineOf({ row, excerpt }: Match, number: number, list: OpenList, current: string): string {
  const parts = [
    row.title || row.entry.id,
    ...(excerpt === undefined ? [] : [`"${excerpt.trim()}"`]),
    row.model ?? 'no answer',
    timeAgo(row.entry.changedAt, list.openedAt),
    ...(row.entry.id === current ? ['this conversation'] : []),
    ...(row.isOpenElsewhere ? ['open in another natter'] : []),
  ];
  return `${number} ${sanitizeLine(parts.join(', '))}\n`;
}

function headOf(list: OpenList, found: number): string {
  const terms = searchTerms(sanitizeLine(list.query)).map((term) => `"${term}"`);
  if (terms.length === 0) return `${countOf(totalOf(list), 'conversation')}, newest first.`;
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
