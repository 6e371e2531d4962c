import { expect, test } from 'vitest';
import { spokenRows } from '../../src/output/table.ts';

test('reads a table by rows, with the headings of the cells that have text', () => {
  const columns = [{ heading: 'ID' }, { heading: 'CHANGED' }, { heading: 'TITLE' }];
  const rows = [
    ['a1', 'just now', 'Tea\u001B[2J'],
    ['b2', '', 'Coffee'],
  ];
  expect(spokenRows(columns, rows)).toBe('a1, changed just now, title Tea\nb2, title Coffee\n');
});
