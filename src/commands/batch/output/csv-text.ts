import type { InputItem } from '../../../batch/input/item.ts';
import {
  columnsOf,
  formatHeader,
  formatResultRow,
  resultColumns,
} from '../../../batch/results/csv-result.ts';
import { Failure } from '../../../failure.ts';
import { sanitize } from '../../../terminal/safety/sanitizer.ts';
import type { ResultText } from './sink.ts';

/** @param answerColumn its name @throws Failure `usage` if the input has such a column */
export function tableHeader(item: InputItem, answerColumn: string): string {
  const { header } = columnsOf(item);
  const taken = resultColumns(answerColumn).find((name) => header.includes(name));
  if (taken === undefined) return formatHeader(item, answerColumn);
  throw new Failure('usage', `the input has a column "${taken}" already`, {
    hint: 'choose a different one for the answers, such as --answer-column result',
  });
}

/** A table of the input's columns, the answer and the error. @param isTerminal the rows are shown, not saved */
export function createCsvText(answerColumn: string, isTerminal: boolean): ResultText {
  const clean = isTerminal ? sanitize : (text: string) => text;
  return {
    header: (item) => clean(tableHeader(item, answerColumn)),
    text: (item, line) => clean(formatResultRow(item, line)),
  };
}
