// What natter asks for in line mode, and its notices about an answer that takes long.
import { searchTerms } from '../../conversation/library/search.ts';
import { count, countOf, timeAgo } from '../../output/figures.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { keyOf } from '../composer/keys/key-bindings.ts';
import { openListed } from '../conversation-list/list-keys.ts';
import {
  closeList,
  isBeingSearched,
  rowMarks,
  matchesOf,
  settle,
} from '../conversation-list/list.ts';
import type { Dialog, OpenList, ReplState, Update } from '../state.ts';
import { cancelHint, refuse, stalledSeconds, step } from '../step.ts';

/** Milliseconds without an answer before a notice. */
const slowAnswer = 1000;

function dialogText(state: ReplState, dialog: Dialog): string {
  const title = sanitizeLine(dialog.title);
  if (dialog.type === 'entry') return `natter: ${cancelHint(state, dialog)}\n${title}: `;
  const rows = dialog.choices.map(({ label }, index) => sanitizeLine(`${index + 1} ${label}`));
  const choices = rows.map((row) => `  ${row}\n`).join('');
  return `${title}\n${choices}Choose 1 to ${dialog.choices.length}: `;
}

/** Whether the next line is a prompt, not the answer to a question. */
export function expectsPrompt({ dialog, list }: ReplState): boolean {
  return dialog === undefined && list === undefined;
}

/** The question to the user; undefined while natter is busy or has ended. */
export function lineQuestion(state: ReplState, isSearching: boolean): string | undefined {
  const { dialog, list, activity, hasQuit } = state;
  if (hasQuit) return undefined;
  if (dialog !== undefined) return dialogText(state, dialog);
  if (activity !== undefined) return undefined;
  if (list !== undefined) return listQuestion(state, list);
  return isSearching ? 'Search earlier prompts for: ' : 'You: ';
}

/** The notice about a retry, or about an answer that is slow or stalled, if any. Of those with one key, only the first is written. */
export function progressOf({ activity, now, keyMap, host }: ReplState) {
  if (activity?.type !== 'answer') return undefined;
  const interrupt = keyOf('interrupt', keyMap);
  const { phase, retry, since, lastAt, model } = activity;
  const notice = (text: string, isStalled = false) => {
    return { key: [since, phase, retry?.retry, isStalled && lastAt].join(' '), text, isStalled };
  };
  if (phase === 'retrying' && retry !== undefined) {
    const left = Math.ceil((retry.at - now) / 1000);
    const when = left <= 0 ? 'now' : `in ${left} s`;
    const keys = `${keyOf('send', keyMap)} retries now, ${interrupt} gives up`;
    return notice(`${retry.cause}; retry ${retry.retry} of ${retry.retries} ${when}; ${keys}`);
  }
  const stalled = stalledSeconds(activity, now);
  if (stalled !== undefined) {
    return notice(`nothing for ${stalled} s; ${interrupt} stops and keeps the text`, true);
  }
  const isSlow = phase === 'waiting' && now - since >= slowAnswer;
  return isSlow ? notice(`waiting for ${host ?? model}; ${interrupt} stops`) : undefined;
}

/** Whether typed text must not be shown. */
export function asksForSecret({ dialog }: ReplState): boolean {
  return dialog?.type === 'entry' && dialog.isHidden === true;
}

// The list of conversations: numbered ones, and a question.

/** Conversations that are read aloud at once. */
const pageRows = 10;

function headOf(list: OpenList, found: number): string {
  const terms = searchTerms(sanitizeLine(list.query)).map((term) => `"${term}"`);
  const [mark] = list.rows[0]?.marks ?? [];
  const first = mark === undefined ? 'newest' : `${mark} ones`;
  if (terms.length === 0) return `${countOf(found, 'conversation')}, ${first} first.`;
  const total = `${count(found)}${isBeingSearched(list) ? ' or more' : ''}`;
  return `${total} with ${terms.join(' and ')} in the ${list.searchesTexts ? 'text' : 'title'}.`;
}

/** The numbered conversations and the question; undefined while they are read. */
function listQuestion(state: ReplState, list: OpenList): string | undefined {
  if (list.isReading) return undefined;
  const matches = matchesOf(list);
  const shown = matches.slice(list.selected, list.selected + pageRows);
  const rows = shown.map(({ row, excerpt }, index) => {
    const parts = [
      row.title || row.id,
      ...(excerpt === undefined ? [] : [`"${excerpt.trim()}"`]),
      row.model ?? 'no answer',
      timeAgo(row.changedAt, list.openedAt),
      ...rowMarks(row, state.conversation.id).map(({ spoken }) => spoken),
    ];
    return `${list.selected + index + 1} ${sanitizeLine(parts.join(', '))}\n`;
  });
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
export function answerList(state: ReplState, list: OpenList, text: string): Update {
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
