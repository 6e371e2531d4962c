import type { ModelRecord } from '../../client/contract.ts';
import { describeModel, type ModelDescription } from '../../client/models/model-description.ts';
import { count } from '../../output/figures.ts';
import type { Column } from '../../output/table.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';

export const modelColumns: readonly Column[] = [
  { heading: 'ID' },
  { heading: 'CONTEXT', align: 'right' },
  { heading: 'LATENCY', align: 'right', isSpare: true },
  { heading: 'PURPOSE' },
];

/** Marks a value from the catalogue that the service did not send. */
export const catalogueMark = '*';

/** What the mark means, below a table. */
export const catalogueNote = `${catalogueMark} taken from the published catalogue, not from the service`;

/** Whether a row of cells has a marked one. */
export const hasCatalogueMark = (row: readonly string[]): boolean =>
  row.some((cell) => cell.endsWith(catalogueMark));

/** One row of {@link modelColumns}; `marked` adds units and {@link catalogueMark}, for a terminal. */
export function modelCells(description: ModelDescription, marked: boolean): readonly string[] {
  const { id, contextWindow, latency, purpose, sources } = description;
  const mark = (text: string | undefined, source: string | undefined) =>
    text === undefined ? '' : marked && source === 'catalogue' ? text + catalogueMark : text;
  const tokens = marked ? count : String;
  const window = contextWindow === undefined ? undefined : tokens(contextWindow);
  const time = latency === undefined ? undefined : marked ? `${latency} ms` : String(latency);
  return [
    id,
    mark(window, sources.contextWindow),
    mark(time, sources.latency),
    mark(purpose, sources.purpose),
  ];
}

/** Whether a cell of the row, as in a terminal or in a pipe, contains the text; ignores case. */
export function showsText(description: ModelDescription, text: string): boolean {
  const wanted = text.toLowerCase();
  const cells = [false, true].flatMap((marked) => modelCells(description, marked));
  return cells.some((cell) => sanitizeLine(cell).toLowerCase().includes(wanted));
}

/** The `--json` document: the known values, the names of those from the catalogue, and the record of the service. */
export function modelDocument(record: ModelRecord): Record<string, unknown> {
  const { id, contextWindow, latency, purpose, sources } = describeModel(record);
  const fromCatalogue = Object.entries(sources)
    .filter(([, source]) => source === 'catalogue')
    .map(([name]) =>
      name === 'contextWindow' ? 'context_window' : name === 'latency' ? 'latency_ms' : name,
    );
  return {
    id,
    context_window: contextWindow ?? null,
    latency_ms: latency ?? null,
    purpose: purpose ?? null,
    from_catalogue: fromCatalogue,
    record,
  };
}

/** One field per line: the known values, then the other fields of the record as JSON. */
export function modelFields(record: ModelRecord, isTerminal: boolean): string {
  const description = describeModel(record);
  const names = ['id', 'context window', 'latency', 'purpose'];
  const { contextWindow, latency, purpose } = description;
  const shown = new Set<unknown>([contextWindow, latency, purpose]);
  const known = modelCells(description, isTerminal)
    .map((value, index) => [names[index] ?? '', value] as const)
    .filter(([, value]) => value !== '');
  const others = Object.entries(record)
    .filter(([name, value]) => name !== 'id' && !shown.has(value))
    .map(([name, value]) => {
      return [name, typeof value === 'string' ? value : JSON.stringify(value)] as const;
    });
  const rows = [...known, ...others].map((row) => row.map(sanitizeLine));
  const width = isTerminal ? Math.max(...rows.map(([name = '']) => name.length)) : 0;
  const gap = isTerminal ? '  ' : '\t';
  return rows.map(([name = '', value]) => `${name.padEnd(width)}${gap}${value}\n`).join('');
}
