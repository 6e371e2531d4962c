import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { count, timeAgo } from '../../output/figures.ts';
import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth, truncateToWidth } from '../../terminal/text/width.ts';
import { wrapText } from '../../terminal/text/wrap.ts';
import { type KeyAction, keyOf } from '../composer/keys/key-bindings.ts';
import {
  firstVisible,
  fitParts,
  fittingEnd,
  Lines,
  Row,
  useBelowCaret,
  useCaret,
  useView,
} from '../screen/view.tsx';
import type { OpenList, PreviewTurn } from '../state.ts';
import { budgetOf, isBeingSearched, rowMarks, type Match, matchesOf } from './list.ts';

type ListProps = Readonly<{ list: OpenList; matches: readonly Match[] }>;

/** Columns of the query beside a position. */
const minQuery = 12;

function QueryRow({ list, matches }: ListProps): ReactNode {
  const { style, columns } = useView();
  const label = list.searchesTexts ? 'search: ' : 'filter: ';
  const { excerpts, rows, selected } = list;
  const isOpen = isBeingSearched(list);
  const searched = isOpen ? `searched ${count(excerpts.length)} of ${count(rows.length)}` : '0';
  // The `+` says that further ones may match.
  const place = `${count(selected + 1)} of ${count(matches.length)}${isOpen ? '+' : ''}`;
  const wanted = matches.length > 0 ? place : searched;
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

/** Columns of a window that has room for the age, and for the model. */
const minColumns = { age: 32, model: 62 };
const maxModel = 20;

/** The title, then an excerpt or the first words. Beside an excerpt, the title has a third of the window. */
function Title({ match, isSelected }: Readonly<{ match: Match; isSelected: boolean }>): ReactNode {
  const { state, style, symbols, columns } = useView();
  const { row, excerpt } = match;
  const tag = rowMarks(row, state.conversation.id)
    .map(({ word }) => `[${word}] `)
    .join('');
  const most = excerpt === undefined ? columns : Math.floor(columns / 3) - tag.length;
  const titled = sanitizeLine(row.title).trim() || row.id;
  const title = truncateToWidth(titled, Math.max(1, most));
  const other = excerpt ?? (row.firstWords === row.title ? '' : row.firstWords);
  const mark = isSelected ? style.cyan(symbols.mark) : ' ';
  const painted = isSelected ? style.bold(title) : title;
  const second = other === '' ? '' : `  ${style.dim(sanitizeLine(other).trim())}`;
  return <Row>{`${mark} ${style.yellow(tag)}${painted}${second}`}</Row>;
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
  const models = shown.map(({ row }) =>
    truncateToWidth(sanitizeLine(row.model ?? 'no answer'), maxModel),
  );
  const ages = shown.map(({ row }) => timeAgo(row.changedAt, list.openedAt));
  const cells = (lines: readonly string[]) => (
    <Box marginLeft={2} flexShrink={0}>
      <Lines lines={lines.map((line) => style.dim(line))} />
    </Box>
  );
  return (
    <Box>
      <Box flexDirection="column" flexGrow={1} flexShrink={1}>
        {shown.map((match, index) => (
          <Title key={match.row.id} match={match} isSelected={first + index === list.selected} />
        ))}
      </Box>
      {columns >= minColumns.model && cells(models)}
      {columns >= minColumns.age && cells(ages)}
    </Box>
  );
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
