import { searchTerms } from '../../conversation/library/search.ts';
import { count, timeAgo } from '../../output/figures.ts';
import type { Frame } from '../../terminal/region/paint.ts';
import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import type { Style } from '../../terminal/style.ts';
import { displayWidth, padToWidth, truncateToWidth } from '../../terminal/text/width.ts';
import { wrapText } from '../../terminal/text/wrap.ts';
import { type KeyAction, type KeyMap, keyOf } from '../composer/keys/key-bindings.ts';
import { fittingEnd, shorten } from '../screen/fit-parts.ts';
import { firstVisible } from '../screen/fit-view.ts';
import type { ConversationList, PreviewTurn } from '../state.ts';
import { symbolsFor, type Symbols } from '../text/symbols.ts';
import { budgetOf, isComplete, matchesOf, totalOf, type Match } from './answer-list.ts';

interface ListLook {
  readonly style: Style;
  readonly unicode: boolean;
  /** The id of the conversation that is open here. */
  readonly current: string;
  readonly keyMap?: KeyMap | undefined;
}

interface Drawing extends ListLook {
  /** Columns the rows may use. */
  readonly columns: number;
  readonly symbols: Symbols;
  readonly query: string;
}

/** `3 of 1,204`; `+` if further ones may match; what is read so far while they are looked for. */
function positionText(list: ConversationList, matches: readonly Match[]): string {
  const { excerpts, rows, selected } = list;
  const total = count(totalOf(list));
  const isAll = list.query.trim() === '';
  if (list.isReading && !isAll) {
    const read = list.searchesTexts ? Math.min(excerpts.length, rows.length) : rows.length;
    return `searched ${count(read)} of ${total}`;
  }
  if (matches.length === 0) return '0';
  const found = `${count(matches.length)}${isComplete(list) ? '' : '+'}`;
  return `${count(selected + 1)} of ${isAll ? total : found}`;
}

/** The first row, with the query, and the column of the caret. */
function queryRow(
  list: ConversationList,
  matches: readonly Match[],
  drawing: Drawing,
): { readonly row: string; readonly column: number } {
  const { style, columns } = drawing;
  const label = (list.searchesTexts ? 'search: ' : 'filter: ').slice(0, columns);
  const wanted = positionText(list, matches);
  const position = displayWidth(wanted) + label.length + 12 <= columns ? wanted : '';
  const room = Math.max(0, columns - label.length - displayWidth(position) - 2);
  const query = fittingEnd(sanitizeLine(list.query), room);
  const column = label.length + displayWidth(query);
  const space = ' '.repeat(Math.max(0, columns - column - displayWidth(position)));
  const row = style.cyan(label) + query + (position === '' ? '' : space + style.dim(position));
  return { row, column };
}

const minTitle = 24;
const minTitleBesideTag = 4;
const maxModel = 20;
const minSecond = 10;
/** The share of the row that the title has beside an excerpt. */
const maxTitleShare = 0.45;

/** `5 min`, `3 h`, `2 d`. */
const shortAge = (age: string) => age.replace(/ (?:(min)|([hd]))\w+ ago$/, ' $1$2');

/** The model and the age, as far as there is room beside the title. */
function rightOf({ row }: Match, list: ConversationList, columns: number): readonly string[] {
  const age = timeAgo(row.entry.changedAt, list.openedAt);
  if (columns < minTitle + maxModel + 18) return columns < minTitle + 8 ? [] : [shortAge(age)];
  const model = truncateToWidth(sanitizeLine(row.model ?? 'no answer'), maxModel);
  return [model, age];
}

const tagOf = ({ row }: Match, { current }: Drawing) => {
  if (row.entry.id === current) return '[this] ';
  return row.isOpenElsewhere ? '[open] ' : '';
};

/** The title, and in the rest of the room an excerpt or the first words. */
function leftOf(match: Match, columns: number, isSelected: boolean, drawing: Drawing): string {
  const { style, symbols } = drawing;
  const { row, excerpt } = match;
  const wanted = tagOf(match, drawing);
  const tag = wanted.length + minTitleBesideTag <= columns ? wanted : '';
  const titled = sanitizeLine(row.title).trim() || row.entry.id;
  const most = Math.floor((columns - tag.length) * (excerpt === undefined ? 1 : maxTitleShare));
  const title = shorten(titled, most, symbols);
  const other = excerpt ?? (row.firstWords === row.title ? '' : row.firstWords);
  const room = columns - tag.length - displayWidth(title) - 2;
  const second = room < minSecond ? '' : fitExcerpt(other, room, drawing);
  const width = tag.length + displayWidth(title) + (second === '' ? 0 : displayWidth(second) + 2);
  return (
    style.yellow(tag) +
    (isSelected ? style.bold(title) : title) +
    (second === '' ? '' : `  ${style.dim(second)}`) +
    ' '.repeat(Math.max(0, columns - width))
  );
}

function listedRows(
  list: ConversationList,
  matches: readonly Match[],
  rows: number,
  drawing: Drawing,
): readonly string[] {
  const { style, symbols, columns } = drawing;
  if (matches.length === 0) {
    const text = list.isReading ? 'searching' : 'no conversation matches';
    return rows === 0 ? [] : [style.dim(shorten(`  ${text}`, columns, symbols))];
  }
  const first = firstVisible(list.selected, matches.length, rows);
  const shown = matches.slice(first, first + rows);
  const rights = shown.map((match) => rightOf(match, list, columns));
  const widths = [0, 1].map((at) =>
    Math.max(0, ...rights.map((cells) => displayWidth(cells[at] ?? ''))),
  );
  return shown.map((match, index) => {
    const isSelected = first + index === list.selected;
    const mark = isSelected ? style.cyan(symbols.mark) : ' ';
    const start = columns < minTitleBesideTag ? '' : `${mark} `;
    const cells = (rights[index] ?? []).map((cell, at) => `  ${padToWidth(cell, widths[at] ?? 0)}`);
    const right = cells.join('');
    const left = leftOf(
      match,
      columns - (start === '' ? 0 : 2) - displayWidth(right),
      isSelected,
      drawing,
    );
    return `${start}${left}${style.dim(right)}`;
  });
}

/** Rows of a turn in the preview. */
const maxTurnRows = { prompt: 2, answer: 5 };

function turnRows({ speaker, text }: PreviewTurn, drawing: Drawing): readonly string[] {
  const { style, symbols, columns } = drawing;
  const name = sanitizeLine(speaker);
  const lines = sanitize(text)
    .replaceAll('\t', '  ')
    .replaceAll(/\n\s*\n/g, '\n')
    .trim();
  const rows = wrapText(`${name}: ${lines}`, columns);
  const most = speaker === 'You' ? maxTurnRows.prompt : maxTurnRows.answer;
  const shown = rows.slice(0, most);
  const last = shown.at(-1) ?? '';
  if (rows.length > most) {
    shown[most - 1] = shorten(`${last} ${symbols.ellipsis}`, columns, symbols);
  }
  return shown.map((row) => style.dim(row));
}

/** The last turns that fit, below a rule. */
function previewRows(
  { preview }: ConversationList,
  selected: string | undefined,
  rows: number,
  drawing: Drawing,
): readonly string[] {
  const { style, symbols, columns } = drawing;
  if (rows < 2) return [];
  const rule = style.dim(symbols.rule.repeat(columns));
  const read = preview?.id === selected ? preview?.turns : undefined;
  const turns = read?.map((turn) => turnRows(turn, drawing)) ?? [];
  let shown: readonly string[] = [];
  for (const turn of turns.toReversed()) {
    const isFull = shown.length > 0 && shown.length + turn.length > rows - 1;
    if (isFull) break;
    shown = [...turn, ...shown];
  }
  return [rule, ...shown.slice(0, rows - 1)];
}

/** The longest hints that fit. */
function hintRow(list: ConversationList, { style, symbols, columns, keyMap }: Drawing): string {
  const [search, shortSearch] = list.searchesTexts
    ? ['filters by title', 'filters']
    : ['searches the texts', 'searches'];
  const hint = (action: KeyAction, does: string) => {
    const key = keyOf(action, keyMap);
    return key === undefined ? [] : [`${key} ${does}`];
  };
  const opens = hint('list-open', 'opens');
  const returns = hint('list-close', 'returns');
  const up = keyOf('list-previous', keyMap);
  const down = keyOf('list-next', keyMap);
  const selects = up === undefined || down === undefined ? [] : [`${up} and ${down} select`];
  const variants = [
    [...opens, ...hint('list-search', search), ...selects, ...returns],
    [...opens, ...hint('list-search', search), ...returns],
    [...opens, ...hint('list-search', shortSearch), ...returns],
    [...hint('list-search', shortSearch), ...returns],
    [...opens, ...returns],
  ].map((parts) => parts.join(symbols.dot));
  const found = variants.find((text) => displayWidth(text) <= columns) ?? returns.join('');
  return style.dim(truncateToWidth(found, columns));
}

/** The live region while the list is open: the query, the conversations, a preview of the selected one. */
export function listFrame(
  list: ConversationList,
  look: ListLook,
  window: { readonly columns: number; readonly rows: number },
): Frame {
  // A row of full width leaves the cursor in a pending-wrap state in some terminals.
  const symbols = symbolsFor(look.unicode);
  const { query } = list;
  const drawing = { ...look, symbols, query, columns: Math.max(1, window.columns - 1) };
  const matches = matchesOf(list);
  const budget = budgetOf(window.rows);
  const { row, column } = queryRow(list, matches, drawing);
  return {
    rows: [
      row,
      ...listedRows(list, matches, budget.listed, drawing),
      ...previewRows(list, matches[list.selected]?.row.entry.id, budget.preview, drawing),
      ...(budget.hints > 0 ? [hintRow(list, drawing)] : []),
    ],
    caret: { row: 0, column: Math.min(column, window.columns - 1) },
  };
}

interface Room {
  readonly query: string;
  readonly symbols: Symbols;
}

/** The text in that many columns; it begins with the first hit of the query if that would not be in them. */
function fitExcerpt(excerpt: string, columns: number, { query, symbols }: Room): string {
  const text = sanitizeLine(excerpt).trim();
  const lower = text.toLowerCase();
  const term = searchTerms(query.toLowerCase()).find((one) => lower.includes(one)) ?? '';
  const at = lower.indexOf(term);
  const isShown = displayWidth(text.slice(0, at + term.length)) < columns;
  return shorten(isShown ? text : symbols.ellipsis + text.slice(at), columns, symbols);
}
