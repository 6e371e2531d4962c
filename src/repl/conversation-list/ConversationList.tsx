import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { count, timeAgo } from '../../output/figures.ts';
import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth, padToWidth, truncateToWidth } from '../../terminal/text/width.ts';
import { wrapText } from '../../terminal/text/wrap.ts';
import { type KeyAction, keyOf } from '../composer/keys/key-bindings.ts';
import { fitParts, fittingEnd } from '../screen/fit-parts.ts';
import { firstVisible } from '../screen/row-budget.ts';
import { Lines, Row, useBelowCaret, useCaret, useView } from '../screen/view.tsx';
import type { OpenList, PreviewTurn } from '../state.ts';
import { budgetOf, isBeingSearched, rowMarks, type Match, matchesOf } from './list.ts';

interface ListProps {
  readonly list: OpenList;
  readonly matches: readonly Match[];
}

/** `3 of 1,204`, and `+` while further ones may match; without any, how many conversations are searched. */
function positionText({ list, matches }: ListProps): string {
  const { excerpts, rows, selected } = list;
  const isOpen = isBeingSearched(list);
  if (matches.length > 0) {
    return `${count(selected + 1)} of ${count(matches.length)}${isOpen ? '+' : ''}`;
  }
  return isOpen ? `searched ${count(excerpts.length)} of ${count(rows.length)}` : '0';
}

/** Columns of the query beside a position. */
const minQuery = 12;

/** The query, with the caret, and the place in the list. */
function QueryRow({ list, matches }: ListProps): ReactNode {
  const { style, columns } = useView();
  const label = list.searchesTexts ? 'search: ' : 'filter: ';
  const wanted = positionText({ list, matches });
  const position = displayWidth(wanted) + label.length + minQuery <= columns ? wanted : '';
  const room = Math.max(0, columns - label.length - displayWidth(position) - 2);
  const query = fittingEnd(sanitizeLine(list.query), room);
  useCaret({ column: label.length + displayWidth(query), rowsBelow: 0 });
  return (
    <Box justifyContent="space-between">
      <Text wrap="truncate">{style.cyan(label) + query}</Text>
      {position !== '' && <Text>{style.dim(position)}</Text>}
    </Box>
  );
}

/** Columns of a title and its mark, beside which there is room for the age, and for the model and the age. */
const minColumns = { age: 32, model: 62 };
const maxModel = 20;
/** The share of the row that the title has beside an excerpt. */
const maxTitleShare = 0.45;

/** The title, in the rest of the room (columns) an excerpt or the first words, and the model and the age. */
function Conversation({
  match,
  isSelected,
  room,
  end,
}: Readonly<{ match: Match; isSelected: boolean; room: number; end: string }>): ReactNode {
  const { state, style, symbols } = useView();
  const { row, excerpt } = match;
  const marks = rowMarks(row, state.conversation.id);
  const tag = marks.map(({ word }) => `[${word}] `).join('');
  const titled = sanitizeLine(row.title).trim() || row.id;
  const most = Math.floor((room - tag.length) * (excerpt === undefined ? 1 : maxTitleShare));
  const title = truncateToWidth(titled, Math.max(1, most));
  const other = excerpt ?? (row.firstWords === row.title ? '' : row.firstWords);
  const mark = isSelected ? style.cyan(symbols.mark) : ' ';
  const painted = isSelected ? style.bold(title) : title;
  const second = other === '' ? '' : `  ${style.dim(sanitizeLine(other).trim())}`;
  return (
    <Box>
      <Box flexGrow={1} flexShrink={1}>
        <Row>{`${mark} ${style.yellow(tag)}${painted}${second}`}</Row>
      </Box>
      <Text>{style.dim(end)}</Text>
    </Box>
  );
}

function Listed({ list, matches, rows }: ListProps & { readonly rows: number }): ReactNode {
  const { style, columns } = useView();
  if (rows === 0) return undefined;
  if (matches.length === 0) {
    return (
      <Row>{style.dim(`  ${isBeingSearched(list) ? 'searching' : 'no conversation matches'}`)}</Row>
    );
  }
  const first = firstVisible(list.selected, matches.length, rows);
  const shown = matches.slice(first, first + rows);
  const hasModel = columns >= minColumns.model;
  const models = shown.map(({ row }) =>
    truncateToWidth(sanitizeLine(row.model ?? 'no answer'), maxModel),
  );
  const ages = shown.map(({ row }) => timeAgo(row.changedAt, list.openedAt));
  const cells = columns < minColumns.age ? [] : [...(hasModel ? [models] : []), ages];
  const padded = cells.map((column) => {
    const width = Math.max(...column.map(displayWidth));
    return column.map((cell) => `  ${padToWidth(cell, width)}`);
  });
  const ends = shown.map((_, index) => padded.map((column) => column[index]).join(''));
  return shown.map((match, index) => (
    <Conversation
      key={match.row.id}
      match={match}
      isSelected={first + index === list.selected}
      room={columns - 2 - displayWidth(ends[0] ?? '')}
      end={ends[index] ?? ''}
    />
  ));
}

/** Rows of a turn in the preview. */
const maxTurnRows = { prompt: 2, answer: 5 };

function turnRows({ speaker, text }: PreviewTurn, columns: number): readonly string[] {
  const lines = sanitize(text)
    .replaceAll('\t', '  ')
    .replaceAll(/\n\s*\n/g, '\n')
    .trim();
  const rows = wrapText(`${sanitizeLine(speaker)}: ${lines}`, columns);
  const most = speaker === 'You' ? maxTurnRows.prompt : maxTurnRows.answer;
  if (rows.length <= most) return rows;
  const last = truncateToWidth(`${rows[most - 1]} …`, columns);
  return [...rows.slice(0, most - 1), last];
}

/** The last turns that fit, below a rule. */
function Preview({ list, matches, rows }: ListProps & { readonly rows: number }): ReactNode {
  const { style, symbols, columns } = useView();
  if (rows < 2) return undefined;
  const { preview, selected } = list;
  const isRead = preview?.id === matches[selected]?.row.id;
  const turns = ((isRead && preview?.turns) || []).map((turn) => turnRows(turn, columns));
  let shown: readonly string[] = [];
  for (const turn of turns.toReversed()) {
    const isFull = shown.length > 0 && shown.length + turn.length > rows - 1;
    if (isFull) break;
    shown = [...turn, ...shown];
  }
  const lines = [symbols.rule.repeat(columns), ...shown.slice(0, rows - 1)];
  return <Lines lines={lines.map((line) => style.dim(line))} />;
}

/** How to return is kept longest. */
function Hints({ list }: { readonly list: OpenList }): ReactNode {
  const { state, style, symbols, columns } = useView();
  const { keyMap } = state;
  const hint = (action: KeyAction, does: string, priority: number) => {
    const key = keyOf(action, keyMap);
    return key === undefined ? [] : [{ text: `${key} ${does}`, priority }];
  };
  const up = keyOf('list-previous', keyMap);
  const down = keyOf('list-next', keyMap);
  const selects = up === undefined || down === undefined ? '' : `${up} and ${down} select`;
  const parts = [
    ...hint('list-open', 'opens', 2),
    ...hint('list-search', list.searchesTexts ? 'filters by title' : 'searches the texts', 3),
    { text: selects, priority: 1 },
    ...hint('list-close', 'returns', 4),
  ];
  return <Row>{style.dim(fitParts(parts, columns, symbols))}</Row>;
}

/** The list in the place of the composer: the query, the conversations, a preview of the selected one. */
export function ConversationList({ list }: { readonly list: OpenList }): ReactNode {
  const { rows } = useView();
  const below = useBelowCaret();
  const matches = matchesOf(list);
  const budget = budgetOf(rows);
  return (
    <>
      <QueryRow list={list} matches={matches} />
      <Box ref={below} flexDirection="column">
        <Listed list={list} matches={matches} rows={budget.listed} />
        <Preview list={list} matches={matches} rows={budget.preview} />
        {budget.hints > 0 && <Hints list={list} />}
      </Box>
    </>
  );
}
